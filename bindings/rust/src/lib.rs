// SPDX-License-Identifier: MIT
//! Counters inside firmware: pmukit's target library, without `std`.
//!
//! ```ignore
//! static mut MEMORY: Memory = Memory::new();
//! let mut regions = [region!("fft"), region!("irq")];
//! let pmu = Target::open_native(unsafe { &mut MEMORY }, &pmu::arm1176())?;
//! let misses = pmu.add(0x0b)?;
//! pmu.regions(&mut regions)?;
//! pmu.start()?;
//! {
//!     let _fft = pmu.region(0); // counts until the block is left
//!     fft();
//! }
//! pmu.stop()?;
//! let counted = pmu.counts(0, misses);
//! ```
//!
//! [`ffi`] has the whole interface of C. Sampling, tasks and interrupts are only there. They work
//! with handlers and schedulers, where only the program knows what may run at the same time.
#![no_std]

use core::cell::Cell;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

pub mod ffi;

// ---- errors -------------------------------------------------------------------------------------

/// What went wrong; the numbers are those of `<pmk/error.h>`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(ffi::c_int);

impl Error {
    pub const INVAL: Error = Error(ffi::PMK_EINVAL);
    pub const NOCTR: Error = Error(ffi::PMK_ENOCTR);
    pub const BADREG: Error = Error(ffi::PMK_EBADREG);
    pub const NOEVENT: Error = Error(ffi::PMK_ENOEVENT);
    pub const NOTSUP: Error = Error(ffi::PMK_ENOTSUP);
    pub const UNDEF: Error = Error(ffi::PMK_EUNDEF);
    pub const BUSY: Error = Error(ffi::PMK_EBUSY);
    pub const IO: Error = Error(ffi::PMK_EIO);
    pub const RANGE: Error = Error(ffi::PMK_ERANGE);
    pub const NOPMU: Error = Error(ffi::PMK_ENOPMU);
    pub const OFF: Error = Error(ffi::PMK_EOFF);
    pub const FILTER: Error = Error(ffi::PMK_EFILTER);
    pub const FORBID: Error = Error(ffi::PMK_EFORBID);
    pub const STILL: Error = Error(ffi::PMK_ESTILL);

    pub fn code(self) -> i32 {
        self.0
    }

    /// Describes the error in a line.
    pub fn text(self) -> &'static str {
        // C returns a constant string that ends with a zero byte.
        unsafe {
            let text = ffi::pmk_strerror(self.0);
            let mut n = 0;
            while *text.add(n) != 0 {
                n += 1;
            }
            core::str::from_utf8(core::slice::from_raw_parts(text, n)).unwrap_or("")
        }
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        f.write_str(self.text())
    }
}

impl core::fmt::Debug for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "Error({}: {})", self.0, self.text())
    }
}

fn check(code: ffi::c_int) -> Result<u32, Error> {
    if code < 0 {
        Err(Error(code))
    } else {
        Ok(code as u32)
    }
}

// ---- PMUs and ports -----------------------------------------------------------------------------

/// A PMU that the library knows.
pub struct Pmu(&'static ffi::pmk_pmu);

// It points to a table of constants.
unsafe impl Sync for Pmu {}

/// The PMUs, one for each that the headers declare.
pub mod pmu {
    use super::{ffi, Pmu};

    macro_rules! pmus {
        ($($name:ident = $object:ident,)*) => {
            $(pub fn $name() -> Pmu {
                Pmu(unsafe { &ffi::$object })
            })*
        };
    }
    pmus! {
        arm1136_r0 = pmk_arm1136_r0,
        arm1136 = pmk_arm1136,
        arm1156 = pmk_arm1156,
        arm1176 = pmk_arm1176,
        arm11mpcore = pmk_arm11mpcore,
        armv8 = pmk_armv8,
        armv8_long = pmk_armv8_long,
        cortex_a53 = pmk_cortex_a53,
        cortex_a55 = pmk_cortex_a55,
        cortex_a57 = pmk_cortex_a57,
        cortex_a72 = pmk_cortex_a72,
        neoverse_n1 = pmk_neoverse_n1,
        cortex_a7 = pmk_cortex_a7,
        cortex_a15 = pmk_cortex_a15,
        cortex_a8 = pmk_cortex_a8,
        cortex_a9 = pmk_cortex_a9,
        cortex_m55 = pmk_cortex_m55,
        dwt = pmk_dwt,
        microblaze = pmk_microblaze,
        riscv64 = pmk_riscv64,
        riscv32 = pmk_riscv32,
    }
}

/// Reads and writes the registers of a PMU, by the numbers of its register table.
pub trait Port {
    fn read(&mut self, reg: u32) -> Result<u64, Error>;
    fn write(&mut self, reg: u32, value: u64) -> Result<(), Error>;
}

unsafe extern "C" fn read_port<P: Port>(ctx: *mut c_void, reg: u32, value: *mut u64) -> i32 {
    match (*(ctx as *mut P)).read(reg) {
        Ok(v) => {
            *value = v;
            0
        }
        Err(e) => e.0,
    }
}

unsafe extern "C" fn write_port<P: Port>(ctx: *mut c_void, reg: u32, value: u64) -> i32 {
    match (*(ctx as *mut P)).write(reg, value) {
        Ok(()) => 0,
        Err(e) => e.0,
    }
}

// ---- regions ------------------------------------------------------------------------------------

/// A region of code, with what was counted in it. [`region!`] makes one.
#[repr(transparent)]
pub struct Region(ffi::pmk_region);

impl Region {
    /// `name` must end with a zero byte, which [`region!`] appends.
    pub const fn named(name: &'static str) -> Region {
        assert!(name.as_bytes()[name.len() - 1] == 0);
        let none = ffi::pmk_stats { n: 0, sum: 0, sq_low: 0, sq_high: 0, min: 0, max: 0 };
        Region(ffi::pmk_region {
            name: name.as_ptr(),
            count: 0,
            errors: 0,
            raw: [0; ffi::PMK_TARGET_EVENTS],
            net: [none; ffi::PMK_TARGET_EVENTS],
        })
    }
}

/// Makes a region whose name is this literal.
#[macro_export]
macro_rules! region {
    ($name:literal) => {
        $crate::Region::named(concat!($name, "\0"))
    };
}

/// What an event counted in a region. The cost of measuring has been subtracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// completed occurrences of the region
    pub count: u32,
    pub total: u64,
    pub min: u64,
    pub max: u64,
}

/// A region that has begun. It ends when this is dropped.
#[must_use = "a region ends where this is dropped"]
pub struct Scope<'t> {
    target: *mut ffi::pmk_target,
    id: u32,
    _borrow: PhantomData<&'t ()>,
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        unsafe { ffi::pmk_region_end(self.target, self.id) };
    }
}

// ---- the target ---------------------------------------------------------------------------------

/// Memory for a [`Target`]. It must not move while the target is open.
pub struct Memory(MaybeUninit<ffi::pmk_target>);

impl Memory {
    pub const fn new() -> Memory {
        Memory(MaybeUninit::uninit())
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

/// A session on the counters of one PMU, for one thread. Dropping it closes the session.
pub struct Target<'m> {
    raw: *mut ffi::pmk_target,
    regions: Cell<(*const Region, usize)>,
    _memory: PhantomData<&'m mut ()>,
}

impl<'m> Target<'m> {
    fn open_raw(memory: &'m mut Memory, pmu: &Pmu, port: ffi::pmk_port) -> Result<Self, Error> {
        // The C library expects zeroed memory.
        memory.0 = MaybeUninit::zeroed();
        let raw = memory.0.as_mut_ptr();
        check(unsafe { ffi::pmk_target_open(raw, pmu.0, port) })?;
        Ok(Target { raw, regions: Cell::new((core::ptr::null(), 0)), _memory: PhantomData })
    }

    /// Opens the PMU whose registers the port accesses.
    pub fn open<P: Port>(
        memory: &'m mut Memory,
        pmu: &Pmu,
        port: &'m mut P,
    ) -> Result<Self, Error> {
        let port = ffi::pmk_port {
            read: Some(read_port::<P>),
            write: Some(write_port::<P>),
            settle: None,
            ctx: port as *mut P as *mut c_void,
        };
        Self::open_raw(memory, pmu, port)
    }

    /// Opens the PMU of the processor that this runs on. Code that may not access it takes an
    /// exception: see `<pmk/native.h>`.
    ///
    /// # Safety
    /// The mode of the processor must permit access to the counters, and no other `Target` may use
    /// them at the same time.
    pub unsafe fn open_native(memory: &'m mut Memory, pmu: &Pmu) -> Result<Self, Error> {
        Self::open_raw(memory, pmu, ffi::pmk_port_native())
    }

    /// Adds an event to count. Returns its index.
    pub fn add(&self, code: u16) -> Result<u32, Error> {
        check(unsafe { ffi::pmk_target_add(self.raw, code.into()) })
    }

    /// Hands the regions to the target. A region's number is its index here, from 0.
    pub fn regions(&self, regions: &'m mut [Region]) -> Result<(), Error> {
        let (first, n) = (regions.as_mut_ptr(), regions.len());
        check(unsafe {
            ffi::pmk_target_regions(self.raw, first as *mut ffi::pmk_region, n as u32)
        })?;
        self.regions.set((first, n));
        Ok(())
    }

    pub fn start(&self) -> Result<(), Error> {
        check(unsafe { ffi::pmk_target_start(self.raw) }).map(|_| ())
    }

    pub fn stop(&self) -> Result<(), Error> {
        check(unsafe { ffi::pmk_target_stop(self.raw) }).map(|_| ())
    }

    /// Returns the 64-bit total of an event.
    pub fn read(&self, event: u32) -> Result<u64, Error> {
        let mut total = 0;
        check(unsafe { ffi::pmk_target_read(self.raw, event, &mut total) }).map(|_| total)
    }

    /// Adds the counters that have wrapped to the totals. To be called at least once per
    /// [`deadline`](Self::deadline).
    pub fn poll(&self) -> Result<u32, Error> {
        check(unsafe { ffi::pmk_target_poll(self.raw) })
    }

    /// Returns the number of cycles within which an overflow must be served, if no event occurs
    /// more than `per_cycle` times in a cycle.
    pub fn deadline(&self, per_cycle: u32) -> u64 {
        unsafe { ffi::pmk_target_deadline(self.raw, per_cycle) }
    }

    /// Begins a region, which ends when the result is dropped. If no region has this number,
    /// nothing is counted.
    pub fn region(&self, id: u32) -> Scope<'_> {
        unsafe { ffi::pmk_region_begin(self.raw, id) };
        Scope { target: self.raw, id, _borrow: PhantomData }
    }

    /// Returns what an event has counted in a region, or `None` if there is no such region or
    /// event.
    pub fn counts(&self, region: u32, event: u32) -> Option<Counts> {
        let (first, n) = self.regions.get();
        if region as usize >= n || event as usize >= unsafe { (*self.raw).nevents } as usize {
            return None;
        }
        let region = unsafe { &(*first.add(region as usize)).0 };
        let net = region.net[event as usize];
        Some(Counts { count: region.count, total: net.sum, min: net.min, max: net.max })
    }

    /// Writes a table of all counts through `put`, one character at a time.
    pub fn report(&self, put: extern "C" fn(u8)) -> Result<(), Error> {
        check(unsafe { ffi::pmk_target_report(self.raw, put) }).map(|_| ())
    }

    /// Writes all counts through `put` as a dump, which `pmk report` reads.
    pub fn dump(&self, put: extern "C" fn(u8)) -> Result<(), Error> {
        check(unsafe { ffi::pmk_target_dump(self.raw, put) }).map(|_| ())
    }

    /// The target in C, for functions that only [`ffi`] has.
    pub fn as_raw(&self) -> *mut ffi::pmk_target {
        self.raw
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        unsafe { ffi::pmk_target_close(self.raw) };
    }
}
