# SPDX-License-Identifier: MIT
# Sourced by the other scripts: the repository root, the Debian packages, and how to install and build.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

build_packages=(cmake ninja-build g++ libeigen3-dev libboost-dev libboost-program-options-dev nlohmann-json3-dev
  libfmt-dev libopenblas-dev liblapacke-dev libtomlplusplus-dev libpugixml-dev zlib1g-dev liblinear-dev liblbfgs-dev liblemon-dev libutfcpp-dev libssl-dev libsdp-dev libdsdp-dev)
mpi_packages=(libopenmpi-dev openmpi-bin) # without them concord-mpi is not built
slurm_packages=(slurm-wlm munge)          # without them the job arrays are not run
site_packages=(python3 python3-markdown python3-pygments doxygen)
python_packages=(python3-numpy python3-scipy python3-sklearn python3-pandas python3-matplotlib python3-networkx python3-joblib
  python3-tqdm python3-pytest mypy)
r_packages=(r-base-core r-cran-matrix r-cran-jsonlite r-cran-testthat) # 44 MB to fetch: without them the R package is not checked
wheel_packages=(python3-setuptools python3-wheel python3-pip)
test_packages=(catch2 ccache libbenchmark-dev clang libclang-rt-14-dev clang-format clang-tidy binutils pkg-config "${mpi_packages[@]}" "${python_packages[@]}"
  "${site_packages[@]}")
report_packages=(chromium) # large: without it the report is not looked at in a browser
package_packages=(dpkg-dev file gzip)
chroot_packages=(mmdebstrap lintian)
coverage_packages=(llvm-14)
bench_packages=(libbenchmark-dev liblinear-tools)

# install_packages [--no-install-recommends] PACKAGE...: installs those that are missing; silent and quick when none is.
install_packages() {
  local missing=() options=() package
  [ "$1" = --no-install-recommends ] && { options=("$1"); shift; }
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "run this as root, or install sudo: ${missing[*]} are missing" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${options[@]}" "${missing[@]}" >/dev/null
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}

# For scripts that take none: says what the script is for (its second comment line) when given some.
no_arguments() {
  [ $# -eq 0 ] && return
  echo "usage: scripts/$(basename "$0")"
  sed -n 's/^# //p' "$0" | sed -n '2,4p'
  [ "$1" = --help ] && exit 0
  exit 2
}
