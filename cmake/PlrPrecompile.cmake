# plr_precompile_torch(target): precompiles libtorch's tensor header, which takes 8 s, once for all
# libraries and once for all tests instead of once per file. The first target of each kind compiles it
# for the others, which have the same flags.

function(plr_precompile_torch target)
  get_target_property(kind ${target} TYPE)
  get_property(owner GLOBAL PROPERTY PLR_PRECOMPILES_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <ATen/ATen.h>)
    set_property(GLOBAL PROPERTY PLR_PRECOMPILES_${kind} ${target})
  endif()
endfunction()
