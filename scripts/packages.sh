# shellcheck shell=bash disable=SC2034,SC2154
# The packages that plr needs, and how they are installed. Sourced by ./plr, which sets `root` and
# `private`.
#
# Debian packages are installed with apt-get, only as root or with sudo that asks for no password.
# Python packages go into .plr/venv, at the versions and with the hashes of scripts/requirements/.
# Output of both is appended to .plr/setup.log, and what was installed to .plr/installed.txt.

# Lists of NEED=PACKAGE: what must be installed and the Debian package that contains it.
required_packages='c++=g++ cmake=cmake ninja=ninja-build import:ensurepip=python3-venv
  benchmark/benchmark.h=libbenchmark-dev fmt/core.h=libfmt-dev gtest/gtest.h=libgtest-dev
  nlohmann/json.hpp=nlohmann-json3-dev zlib.h=zlib1g-dev'
image_packages='gif_lib.h=libgif-dev'
procgen_packages='libgthread-2.0.so.0=libglib2.0-0 libz.so.1=zlib1g'
test_packages='python3-config=python3-dev'
[ "$(id -u)" != 0 ] || test_packages+=' chromium=chromium slurmctld=slurm-wlm'  # e.g. in a container

say() { printf 'plr: %s\n' "$*" >&2; }
fail() { say "$*"; exit 2; }

# patiently TEXT LOG COMMAND ...: runs a command with its output appended to LOG. Every 20 s it says
# how far the command is: Ninja's counter in LOG, or the time that has passed.
patiently() {
  local text=$1 log=$2 started=$SECONDS ticker status=0
  shift 2
  (
    exec 9>&-
    while sleep 20 &>/dev/null; do
      count=$(tail -n 1 "$log" 2>/dev/null | grep -o '\[[0-9]*/[0-9]*\]')
      say "$text ${count:-($((SECONDS - started)) s)}"
    done
  ) &
  ticker=$!
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  return $status
}

# logged TEXT COMMAND ...
logged() {
  local text=$1
  shift
  printf '\n$ %s\n' "$*" >>"$private/setup.log"
  patiently "$text" "$private/setup.log" "$@"
}

# Whether a header, shared library, Python module or command is installed.
has() {
  case $1 in
    *.h | *.hpp) c++ -E -x c++ - <<<"#include <$1>" ;;
    *.so.*) python3 -I -c "import ctypes; ctypes.CDLL('$1')" ;;
    import:*) python3 -I -c "import ${1#import:}" ;;
    *) command -v "$1" ;;
  esac &>/dev/null
}

# apt_install LIST: installs what is missing, or prints the command that does and returns 1.
apt_install() {
  local item missing=() sudo=()
  for item in $1; do has "${item%=*}" || missing+=("${item#*=}"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || sudo=(sudo -n)
  if [ -z "${PLR_OFFLINE:-}" ] && has apt-get && "${sudo[@]}" true 2>/dev/null; then
    say "installing ${missing[*]} with apt-get"
    [ -n "${is_list_updated:-}" ] ||
      logged 'updating the list of packages' "${sudo[@]}" apt-get update || true
    is_list_updated=1
    if logged "installing ${missing[*]}" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y "${missing[@]}"; then
      printf 'apt: %s\n' "${missing[@]}" >>"$private/installed.txt"
      return
    fi
  fi
  say "missing packages; run: sudo apt-get update && sudo apt-get install -y ${missing[*]}"
  return 1
}

# The Python environment in .plr/ also sees the packages of the system's Python.
make_venv() {
  [ -x "$private/venv/bin/pip" ] || logged 'creating .plr/venv' \
    python3 -I -m venv --clear --system-site-packages "$private/venv"
}

# pip_install FILE: installs the packages of a file of scripts/requirements, which lists all that they
# need. Returns 1 on failure. CMake runs again after a new .plr/ready.
pip_install() {
  make_venv && logged "installing $1" "$private/venv/bin/python" -I -m pip install \
    --disable-pip-version-check --retries 2 --timeout 20 ${PLR_OFFLINE:+--no-index} \
    --require-hashes --no-deps -r "$root/scripts/requirements/$1" || return 1
  touch "$private/ready"
  printf 'pip: %s\n' $(grep -o '^[^ #]*==[^ ;]*' "$root/scripts/requirements/$1") >>"$private/installed.txt"
}

# torch without CUDA if pip finds it, else with CUDA and its packages.
install_torch() {
  pip_install torch-dependencies.txt || return 1
  pip_install torch-cpu.txt || { pip_install torch.txt && pip_install torch-cuda.txt; }
}
