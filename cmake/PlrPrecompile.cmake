# plr_precompile_torch(target): precompiles libtorch's tensor header, which takes 8 s, once per target
# instead of once per file.

function(plr_precompile_torch target)
  target_precompile_headers(${target} PRIVATE <ATen/ATen.h>)
endfunction()
