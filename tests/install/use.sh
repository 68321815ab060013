#!/usr/bin/env bash
# use.sh WAY SOURCE BUILD: builds README's example and one of kport::session against kport as a user does, and runs them.
#   find_package, pkg-config   what `cmake --install` put into an empty folder
#   add_subdirectory           the source tree as a part of the user's project
#   shared                     a shared library, built and installed from the source tree
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

# Quick to build; what is visible does not depend on it.
in_one_file=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0)

ran() { "$1" | tee /dev/stderr | grep -qx '16 nodes hold the packet, 0 rules broken'; }

case $way in
    find_package)
        cmake --install "$build" --prefix "$work/kport" >/dev/null
        project 'find_package(kport 0.1 CONFIG REQUIRED COMPONENTS emulator session)'
        echo 'add_executable(asks asks.cpp)' >>"$work/mine/CMakeLists.txt"
        echo 'target_link_libraries(asks PRIVATE kport::session fmt::fmt)' >>"$work/mine/CMakeLists.txt"
        built -DCMAKE_PREFIX_PATH="$work/kport"
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
        built "${in_one_file[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON \
            -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON \
            -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
        for room in algorithms session files stress umpire; do
            [[ ! -e $work/mine/build/kport/$room/libkport_$room.a ]] || { echo "built $room, which is not linked"; exit 1; }
        done
        ;;
    shared)
        cmake -S "$source" -B "$work/shared" -G Ninja -DBUILD_SHARED_LIBS=ON -DKPORT_PROGRAM=OFF -DKPORT_TESTS=OFF \
            -DKPORT_EXAMPLES=OFF "${in_one_file[@]}" -DCMAKE_CXX_FLAGS_RELEASE=-O0
        cmake --build "$work/shared" --parallel 2
        cmake --install "$work/shared" --prefix "$work/kport" >/dev/null
        library=$work/kport/lib/libkport.so
        # Every example links: what a public header names is visible.
        project 'find_package(kport 0.1 CONFIG REQUIRED COMPONENTS emulator algorithms session files stress)' \
            "file(GLOB examples $source/examples/*.cpp)" 'foreach(file IN LISTS examples)' \
            '  get_filename_component(name ${file} NAME_WE)' '  add_executable(${name} ${file})' \
            '  target_link_libraries(${name} PRIVATE kport::stress kport::files fmt)' \
            '  if(first)' '    target_precompile_headers(${name} REUSE_FROM ${first})' '  else()' \
            '    target_precompile_headers(${name} PRIVATE <kport/kport.hpp>)' '    set(first ${name})' '  endif()' 'endforeach()'
        built -DCMAKE_PREFIX_PATH="$work/kport"
        readelf -d "$library" | grep -F 'SONAME' | grep -F '[libkport.so.0.1]'
        # What no public header names is hidden.
        if nm -DC --defined-only "$library" | grep -F 'kport::Arbiter'; then exit 1; fi
        nm -DC --defined-only "$library" | grep -F 'kport::run_lockstep('
        ;;
    packages)
        (cd "$work" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages")
        dpkg-deb --info "$work"/packages/kport_*.deb
        dpkg-deb --contents "$work"/packages/kport_*.deb >"$work/files"
        for file in bin/kport man/man1/kport.1 completions/kport _kport kport.fish; do grep -F "$file" "$work/files"; done
        dpkg-deb --contents "$work"/packages/libkport-dev_*.deb | grep -F include/kport/kport.hpp
        ;;
    *)
        echo "use.sh: unknown way '$way'" >&2
        exit 2
        ;;
esac
