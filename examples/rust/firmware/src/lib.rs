// SPDX-License-Identifier: MIT
//! Counters on QEMU's virt machine (Cortex-A53, PMUv3) without an operating system, in Rust. The
//! start-up code, and the memory functions that compilers call, are those of the example in C,
//! examples/firmware/virt.
#![no_std]

use core::arch::asm;
use core::fmt::Write;
use core::panic::PanicInfo;
use core::ptr::write_volatile;

use pmk_target::{pmu, region, Error, Memory, Target};

/// Event code, `<pmk/armv8.h>`.
const INST_RETIRED: u16 = 0x08;

// ---- the board ----------------------------------------------------------------------------------

struct Uart;

extern "C" fn put(c: u8) {
    unsafe { write_volatile(0x0900_0000 as *mut u32, c.into()) }; // PL011
}

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        text.bytes().for_each(|c| put(c));
        Ok(())
    }
}

/// Ends the program by a semihosting call, which QEMU understands: SYS_EXIT_EXTENDED of ARM IHI
/// 0105.
#[no_mangle]
pub extern "C" fn board_exit(code: i32) -> ! {
    let block = [0x20026u64, code as u64]; // ADP_Stopped_ApplicationExit
    loop {
        unsafe { asm!("hlt #0xf000", inout("x0") 0x20u64 => _, in("x1") &block) };
    }
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let _ = writeln!(Uart, "{}", info);
    board_exit(1)
}

/// start.S calls these three functions on exceptions. None is expected here.
#[no_mangle]
pub extern "C" fn unexpected() {
    panic!("an exception");
}

#[no_mangle]
pub extern "C" fn synchronous() {
    unexpected();
}

#[no_mangle]
pub extern "C" fn interrupt() {
    unexpected();
}

// ---- what is measured ---------------------------------------------------------------------------

/// Executes four instructions per turn.
#[inline(always)]
fn turns(mut n: u64) {
    unsafe { asm!("2: nop", "nop", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) n) };
    let _ = n;
}

fn count() -> Result<(), Error> {
    let mut memory = Memory::new();
    let mut regions = [region!("thousand"), region!("three thousand")];
    // At EL1 no access to the counters traps, and no other code uses them.
    let target = unsafe { Target::open_native(&mut memory, &pmu::cortex_a53()) }?;
    let instructions = target.add(INST_RETIRED)?;
    target.regions(&mut regions)?;
    target.start()?;
    for _ in 0..10 {
        {
            let _thousand = target.region(0);
            turns(1000);
        }
        let _three = target.region(1);
        turns(3000);
    }
    let before = target.read(instructions)?;
    turns(1000);
    let between = target.read(instructions)?;
    turns(3000);
    let after = target.read(instructions)?;
    target.stop()?;
    let _ = writeln!(Uart, "2000 turns more: {} instructions",
                     (after - between) - (between - before));
    for (id, n) in [(0, 1000), (1, 3000)] {
        let c = target.counts(id, instructions).expect("a region and an event");
        let _ = writeln!(Uart, "turns {} times {} total {} least {} most {}", n, c.count, c.total,
                         c.min, c.max);
    }
    target.report(put)
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    match count() {
        Ok(()) => 0,
        Err(e) => {
            let _ = writeln!(Uart, "pmk: {}", e);
            1
        }
    }
}
