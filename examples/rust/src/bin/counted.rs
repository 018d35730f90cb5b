// SPDX-License-Identifier: MIT
//! A program to be counted: pmk stat --region turns -e instructions ./counted 1000
use std::arch::asm;

/// Two instructions per turn. It is not inlined and keeps its name, so that pmk stat --region finds
/// it.
#[no_mangle]
#[inline(never)]
pub extern "C" fn turns(mut n: u64) -> u64 {
    unsafe {
        #[cfg(target_arch = "aarch64")]
        asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) n);
        #[cfg(target_arch = "x86_64")]
        asm!("2: sub {0}, 1", "jne 2b", inout(reg) n);
    }
    n
}

fn main() {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    println!("{}", turns(n));
}
