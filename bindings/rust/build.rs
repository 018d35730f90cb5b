// SPDX-License-Identifier: MIT
//! Links the library in C, libpmk-target.a, from the folder that PMK_TARGET_LIB names. Such folders
//! are made by `make target`. An archive of pmk_target.c works, too, if it was compiled for the
//! same processor and with the same flags. Without PMK_TARGET_LIB the program's own linker options
//! have to name the library.

fn main() {
    println!("cargo:rerun-if-env-changed=PMK_TARGET_LIB");
    if let Ok(folder) = std::env::var("PMK_TARGET_LIB") {
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:rustc-link-lib=static=pmk-target");
    }
}
