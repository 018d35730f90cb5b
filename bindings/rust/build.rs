// SPDX-License-Identifier: MIT
//! The library in C is linked from the folder that PMK_TARGET_LIB names: one of `make target`, or
//! one with an archive of pmk_target.c that was compiled for the same processor and flags. Without
//! it, whoever links the program has to name the library.

fn main() {
    println!("cargo:rerun-if-env-changed=PMK_TARGET_LIB");
    if let Ok(folder) = std::env::var("PMK_TARGET_LIB") {
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:rustc-link-lib=static=pmk-target");
    }
}
