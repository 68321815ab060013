#!/usr/bin/env bash
# use.sh WAY SOURCE BUILD: builds the example of docs/library.md and one of kport::session against kport as a user does, and runs them.
#   find_package, pkg-config   what `cmake --install` put into an empty folder
#   add_subdirectory           the source tree as a part of the user's project
#   shared                     a shared library, built and installed from the source tree, with both compilers where there is a second
#   packages                   the Debian packages: what is in them
set -Eeuo pipefail
way=$1 source=$2 build=$3
trap 'echo "use.sh $way: line $LINENO: \`$BASH_COMMAND\` failed" >&2' ERR
work=$(mktemp -d)
[[ ${KPORT_KEEP-} ]] || trap 'rm -rf "$work"' EXIT
mkdir "$work/mine"
cp "$source/examples/broadcast_by_hand.cpp" "$work/mine/mine.cpp"
cp "$source/examples/run_and_compare.cpp" "$work/mine/asks.cpp"

# project LINE...: the user's project, with LINE... to find kport.
project() {
    {
        echo 'cmake_minimum_required(VERSION 3.25)'
        echo 'project(mine LANGUAGES CXX)'
        printf '%s\n' "$@"
        echo 'find_package(fmt REQUIRED)'
        echo 'add_executable(mine mine.cpp)'
        echo 'target_link_libraries(mine PRIVATE kport::emulator fmt::fmt)'
    } >"$work/mine/CMakeLists.txt"
}

# built OPTION...: configures and builds it, and runs it.
built() {
    cmake -S "$work/mine" -B "$work/mine/build" "$@"
    cmake --build "$work/mine/build" --parallel 2
    ran "$work/mine/build/mine"
}

ran() { "$1" | tee /dev/stderr | grep -qx '16 nodes hold the packet, 0 rules broken'; }

case $way in
    find_package)
        cmake --install "$build" --prefix "$work/kport" >/dev/null
        project 'find_package(kport 0.1 CONFIG REQUIRED COMPONENTS emulator session)'
        echo 'add_executable(asks asks.cpp)' >>"$work/mine/CMakeLists.txt"
        echo 'target_link_libraries(asks PRIVATE kport::session fmt::fmt)' >>"$work/mine/CMakeLists.txt"
        built -DCMAKE_PREFIX_PATH="$work/kport"
        if command -v clang++-19; then
            rm -rf "$work/mine/build"
            built -DCMAKE_PREFIX_PATH="$work/kport" -DCMAKE_CXX_COMPILER=clang++-19
        fi
        # An algorithm in a file is compiled against the installed headers.
        export XDG_CACHE_HOME=$work/cache
        (cd "$work" && kport/bin/kport new broadcast own.cpp)
        (cd "$work" && kport/bin/kport run broadcast --on mesh:4x4 --algorithm ./own.cpp) | grep -F 'all rules kept, 16 of 16'
        "$work/mine/build/asks" | tee /dev/stderr | grep -F 'again: kport run broadcast --on mesh:8x8'
        ;;
    pkg-config)
        cmake --install "$build" --prefix "$work/kport" >/dev/null
        export PKG_CONFIG_PATH=$work/kport/lib/pkgconfig
        # shellcheck disable=SC2046
        c++ -std=c++20 "$work/mine/mine.cpp" $(pkg-config --cflags --libs kport) -o "$work/mine/mine"
        ran "$work/mine/mine"
        ;;
    add_subdirectory)
        # Only what is linked is built, with the packages that it needs, and the project's own build type.
        project "add_subdirectory($source kport)" \
            'if(CMAKE_BUILD_TYPE)' '  message(FATAL_ERROR "kport chose the build type ${CMAKE_BUILD_TYPE}")' 'endif()'
        built -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON \
            -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON \
            -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
        for room in algorithms app/session app/files app/stress app/umpire; do
            [[ ! -e $work/mine/build/kport/$room/libkport_${room##*/}.a ]] || { echo "built $room, which is not linked"; exit 1; }
        done
        ;;
    shared)
        # Every example links: what a public header names is visible.
        project 'find_package(kport 0.1 CONFIG REQUIRED COMPONENTS emulator algorithms session files stress)' \
            "file(GLOB examples $source/examples/*.cpp)" 'foreach(file IN LISTS examples)' \
            '  get_filename_component(name ${file} NAME_WE)' '  add_executable(${name} ${file})' \
            '  target_link_libraries(${name} PRIVATE kport::stress kport::files fmt)' \
            '  if(first)' '    target_precompile_headers(${name} REUSE_FROM ${first})' '  else()' \
            '    target_precompile_headers(${name} PRIVATE <kport/kport.hpp>)' '    set(first ${name})' '  endif()' 'endforeach()'
        for compiler in c++ $(command -v clang++-19); do
            installed=$work/$(basename "$compiler")
            cmake -S "$source" -B "$work/shared" --fresh -G Ninja -DBUILD_SHARED_LIBS=ON -DKPORT_PROGRAM=OFF -DKPORT_TESTS=OFF \
                -DKPORT_EXAMPLES=OFF -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS_RELEASE=-O0
            cmake --build "$work/shared" --parallel 2 --clean-first
            cmake --install "$work/shared" --prefix "$installed" >/dev/null
            rm -rf "$work/mine/build"
            built -DCMAKE_PREFIX_PATH="$installed" -DCMAKE_CXX_COMPILER="$compiler"
            readelf -d "$installed/lib/libkport.so" | grep -F 'SONAME' | grep -F '[libkport.so.0.1]'
            # Functions that are defined once. Whether the compiler also emits an inline one is its own choice.
            nm -DC --defined-only "$installed/lib/libkport.so" | sed -n '/\[clone/d; s/^[0-9a-f]* T //p' | sort -u >"$work/$(basename "$compiler").visible"
            grep -F 'kport::run_lockstep(' "$work/$(basename "$compiler").visible"
            # What no public header names is hidden.
            if grep -F 'kport::Arbiter' "$work/$(basename "$compiler").visible"; then exit 1; fi
        done
        [[ ! -e $work/clang++-19.visible ]] || diff "$work/c++.visible" "$work/clang++-19.visible"
        ;;
    packages)
        (cd "$work" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages")
        for package in "$work"/packages/*.deb; do
            name=$(dpkg-deb --field "$package" Package)
            dpkg-deb --info "$package"
            dpkg-deb --contents "$package" | tee -a "$work/packages.list" >"$work/$name"
            grep -F "./usr/share/doc/$name/copyright" "$work/$name"
            # Owned by root, writable by root only, and in no folder but /usr.
            awk '$2 != "root/root" || $1 ~ /^.....w|^........w/ && $1 !~ /^l/ || $6 !~ /^\.\/(usr\/.*)?$/ { print "unfit: " $0; bad = 1 } END { exit bad }' "$work/$name"
        done
        for file in bin/kport man/man1/kport.1 completions/kport _kport kport.fish doc/kport/docs/model.md doc/kport/README.md; do
            grep -F "$file" "$work/kport"
        done
        grep -F include/kport/kport.hpp "$work/libkport-dev"
        for mpi in openmpi mpich; do
            [[ ! -e $build/libkport-$mpi.so ]] || grep -F "lib/libkport-$mpi.so" "$work/kport-$mpi"
        done
        # What `cmake --install` installs is in some package.
        DESTDIR=$work/all cmake --install "$build" --prefix /usr >/dev/null
        diff <(cd "$work/all" && find . ! -type d | sort) <(awk '$1 !~ /^d/ { print $6 }' "$work/packages.list" | sort)
        ;;
    *)
        echo "use.sh: unknown way '$way'" >&2
        exit 2
        ;;
esac
