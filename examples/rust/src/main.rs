// SPDX-License-Identifier: MIT
//! Tries the counters of firmware on a host: the registers of an ARM1176's PMU are variables, and
//! work() adds to them. Firmware calls Target::open_native() instead of Target::open().
use pmk_target::{pmu, region, Error, Memory, Port, Target};
use std::cell::Cell;
use std::io::Write;

/// Event codes, `<pmk/arm11.h>`.
const DCACHE_MISS: u16 = 0x0b;
const CPU_CYCLES: u16 = 0xff;

/// Register numbers, in the same header.
const PMNC: usize = 0;
const CCNT: usize = 1;
const PMN0: usize = 2;

thread_local!(static REGISTERS: Cell<[u64; 5]> = Cell::new([0; 5]));

struct Registers;

impl Port for Registers {
    fn read(&mut self, reg: u32) -> Result<u64, Error> {
        // Time passes, because the library checks that the cycle counter moves.
        let mut all = REGISTERS.with(Cell::get);
        all[CCNT] += all[PMNC] & 1;
        REGISTERS.with(|r| r.set(all));
        all.get(reg as usize).copied().ok_or(Error::BADREG)
    }

    fn write(&mut self, reg: u32, value: u64) -> Result<(), Error> {
        let mut all = REGISTERS.with(Cell::get);
        // PMNC's flags, bits 8 to 10, are cleared by writing 1; P and C clear counters.
        match reg as usize {
            PMNC => {
                if value & 2 != 0 {
                    all[PMN0] = 0;
                    all[PMN0 + 1] = 0;
                }
                if value & 4 != 0 {
                    all[CCNT] = 0;
                }
                all[PMNC] = value & !0x706;
            }
            reg if reg < all.len() => all[reg] = value,
            _ => return Err(Error::BADREG),
        }
        REGISTERS.with(|r| r.set(all));
        Ok(())
    }
}

fn work(misses: u64) {
    let mut all = REGISTERS.with(Cell::get);
    all[PMN0] += misses;
    REGISTERS.with(|r| r.set(all));
}

extern "C" fn put(c: u8) {
    std::io::stdout().write_all(&[c]).expect("standard output");
}

fn count() -> Result<(), Error> {
    let (mut memory, mut port) = (Memory::new(), Registers);
    let mut regions = [region!("work"), region!("rest")];
    let target = Target::open(&mut memory, &pmu::arm1176(), &mut port)?;
    target.add(CPU_CYCLES)?;
    let misses = target.add(DCACHE_MISS)?;
    target.regions(&mut regions)?;
    target.start()?;
    for n in [7, 5, 9] {
        let _work = target.region(0);
        work(n);
    }
    work(100);
    target.stop()?;
    let counted = target.counts(0, misses).expect("a region and an event");
    println!("work: {} times, {} misses, {} to {}", counted.count, counted.total, counted.min,
             counted.max);
    println!("all: {} misses", target.read(misses)?);
    target.report(put)
}

fn main() {
    if let Err(e) = count() {
        eprintln!("pmk-example: {}", e);
        std::process::exit(1);
    }
}
