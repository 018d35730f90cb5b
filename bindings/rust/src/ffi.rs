// SPDX-License-Identifier: MIT
//! The C interface as the headers have it: `<pmk/target.h>` and what it includes. The headers say
//! what each function does. tests/bindings/test_rust.py compares sizes, offsets and numbers with
//! what a C compiler says.
#![allow(non_camel_case_types)]

use core::ffi::c_void;

/* C's types, which `core` has from Rust 1.64 on. */
pub type c_int = i32;
pub type c_uint = u32;
pub type c_char = u8;

pub const PMK_EINVAL: c_int = -1;
pub const PMK_ENOCTR: c_int = -2;
pub const PMK_EBADREG: c_int = -3;
pub const PMK_ENOEVENT: c_int = -4;
pub const PMK_ENOTSUP: c_int = -5;
pub const PMK_EUNDEF: c_int = -6;
pub const PMK_EBUSY: c_int = -7;
pub const PMK_EIO: c_int = -8;
pub const PMK_ENOMEM: c_int = -9;
pub const PMK_EPARSE: c_int = -10;
pub const PMK_ERANGE: c_int = -11;
pub const PMK_ENOPMU: c_int = -12;
pub const PMK_EOFF: c_int = -13;
pub const PMK_EFILTER: c_int = -14;
pub const PMK_EFORBID: c_int = -15;
pub const PMK_ESTILL: c_int = -16;

pub const PMK_TARGET_EVENTS: usize = 8;
pub const PMK_TARGET_DEPTH: usize = 8;
pub const PMK_MAX_COUNTERS: usize = 96;
pub const PMK_NO_REGION: u16 = 0xffff;
pub const PMK_MIN_PERIOD: u32 = 64;
pub const PMK_MAX_PERIOD: u32 = 0x80000000;

/// `struct pmk_pmu`, which is used only through pointers.
#[repr(C)]
pub struct pmk_pmu {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct pmk_port {
    pub read: Option<unsafe extern "C" fn(*mut c_void, c_uint, *mut u64) -> c_int>,
    pub write: Option<unsafe extern "C" fn(*mut c_void, c_uint, u64) -> c_int>,
    pub settle: Option<unsafe extern "C" fn(*mut c_void, c_uint)>,
    pub ctx: *mut c_void,
}

#[repr(C)]
pub struct pmk_dev {
    pub pmu: *const pmk_pmu,
    pub port: pmk_port,
    pub state: [u32; 16],
}

#[repr(C)]
pub struct pmk_counter_set {
    pub bits: [u32; PMK_MAX_COUNTERS / 32],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct pmk_stats {
    pub n: u64,
    pub sum: u64,
    pub sq_low: u64,
    pub sq_high: u64,
    pub min: u64,
    pub max: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct pmk_latency {
    pub n: u64,
    pub sum: u64,
    pub sum2: u64,
    pub min: u64,
    pub max: u64,
}

#[repr(C)]
pub struct pmk_region {
    pub name: *const c_char,
    pub count: u32,
    pub errors: u32,
    pub raw: [u64; PMK_TARGET_EVENTS],
    pub net: [pmk_stats; PMK_TARGET_EVENTS],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct pmk_sample {
    pub pc: usize,
    pub region: u16,
    pub event: u8,
    pub late: u8,
}

#[repr(C)]
pub struct pmk_ring {
    pub sample: *mut pmk_sample,
    pub size: u32,
    pub head: u32,
    pub tail: u32,
    pub dropped: u32,
}

#[repr(C)]
pub struct pmk_frame {
    pub region: u16,
    pub inner: u32,
    pub begin: [u64; PMK_TARGET_EVENTS],
}

#[repr(C)]
pub struct pmk_task {
    pub counted: [u64; PMK_TARGET_EVENTS],
    pub since: [u64; PMK_TARGET_EVENTS],
    pub frame: [pmk_frame; PMK_TARGET_DEPTH],
    pub depth: u32,
}

#[repr(C)]
pub struct pmk_total {
    pub done: u64,
    pub base: u64,
}

#[repr(C)]
pub struct pmk_target_event {
    pub code: u16,
    pub counter: u8,
    pub missed: bool,
    pub period: u64,
    pub preload: u64,
    pub mask: u64,
    pub at: [pmk_total; 2],
    pub word: u32,
}

#[repr(C)]
pub struct pmk_target {
    pub dev: pmk_dev,
    pub state: u8,
    pub nevents: u8,
    pub interrupts: bool,
    pub late: bool,
    pub narrow: bool,
    pub nregions: u16,
    pub nfast: u16,
    pub used: pmk_counter_set,
    pub wraps: u32,
    pub event: [pmk_target_event; PMK_TARGET_EVENTS],
    pub zero: [u64; PMK_TARGET_EVENTS],
    pub cost: [u64; PMK_TARGET_EVENTS],
    pub nest: [u64; PMK_TARGET_EVENTS],
    pub region: *mut pmk_region,
    pub fast: *mut c_void,
    pub ring: *mut pmk_ring,
    pub task: *mut pmk_task,
    pub main: pmk_task,
    pub lock: Option<unsafe extern "C" fn() -> usize>,
    pub unlock: Option<unsafe extern "C" fn(usize)>,
}

pub type pmk_put = unsafe extern "C" fn(c_char);

extern "C" {
    pub static pmk_arm1136_r0: pmk_pmu;
    pub static pmk_arm1136: pmk_pmu;
    pub static pmk_arm1156: pmk_pmu;
    pub static pmk_arm1176: pmk_pmu;
    pub static pmk_arm11mpcore: pmk_pmu;
    pub static pmk_armv8: pmk_pmu;
    pub static pmk_armv8_long: pmk_pmu;
    pub static pmk_cortex_a53: pmk_pmu;
    pub static pmk_cortex_a55: pmk_pmu;
    pub static pmk_cortex_a57: pmk_pmu;
    pub static pmk_cortex_a72: pmk_pmu;
    pub static pmk_neoverse_n1: pmk_pmu;
    pub static pmk_cortex_a7: pmk_pmu;
    pub static pmk_cortex_a15: pmk_pmu;
    pub static pmk_cortex_a8: pmk_pmu;
    pub static pmk_cortex_a9: pmk_pmu;
    pub static pmk_cortex_m55: pmk_pmu;
    pub static pmk_dwt: pmk_pmu;
    pub static pmk_microblaze: pmk_pmu;
    pub static pmk_riscv64: pmk_pmu;
    pub static pmk_riscv32: pmk_pmu;

    pub fn pmk_strerror(err: c_int) -> *const c_char;
    pub fn pmk_port_native() -> pmk_port;
    pub fn pmk_target_open(t: *mut pmk_target, pmu: *const pmk_pmu, port: pmk_port) -> c_int;
    pub fn pmk_target_seize(t: *mut pmk_target, pmu: *const pmk_pmu, port: pmk_port) -> c_int;
    pub fn pmk_target_add(t: *mut pmk_target, code: c_uint) -> c_int;
    pub fn pmk_target_regions(t: *mut pmk_target, r: *mut pmk_region, count: c_uint) -> c_int;
    pub fn pmk_target_locks(
        t: *mut pmk_target,
        lock: Option<unsafe extern "C" fn() -> usize>,
        unlock: Option<unsafe extern "C" fn(usize)>,
    ) -> c_int;
    pub fn pmk_target_interrupts(t: *mut pmk_target, on: bool) -> c_int;
    pub fn pmk_target_sample(
        t: *mut pmk_target,
        event: c_uint,
        period: u32,
        ring: *mut pmk_ring,
    ) -> c_int;
    pub fn pmk_target_start(t: *mut pmk_target) -> c_int;
    pub fn pmk_target_stop(t: *mut pmk_target) -> c_int;
    pub fn pmk_target_read(t: *mut pmk_target, event: c_uint, total: *mut u64) -> c_int;
    pub fn pmk_target_read_all(t: *mut pmk_target, totals: *mut u64) -> c_int;
    pub fn pmk_target_latency(t: *mut pmk_target, event: c_uint, l: *mut pmk_latency) -> c_int;
    pub fn pmk_target_isr(t: *mut pmk_target, pc: usize) -> c_int;
    pub fn pmk_target_poll(t: *mut pmk_target) -> c_int;
    pub fn pmk_target_deadline(t: *const pmk_target, per_cycle: c_uint) -> u64;
    pub fn pmk_target_wrapped(t: *const pmk_target, event: c_uint) -> c_int;
    pub fn pmk_target_close(t: *mut pmk_target) -> c_int;
    pub fn pmk_region_begin(t: *mut pmk_target, id: c_uint) -> c_int;
    pub fn pmk_region_end(t: *mut pmk_target, id: c_uint) -> c_int;
    pub fn pmk_region_reset(t: *mut pmk_target, id: c_uint) -> c_int;
    pub fn pmk_ring_take(ring: *mut pmk_ring, sample: *mut pmk_sample) -> c_int;
    pub fn pmk_target_report(t: *mut pmk_target, put: pmk_put) -> c_int;
    pub fn pmk_target_dump(t: *mut pmk_target, put: pmk_put) -> c_int;
}
