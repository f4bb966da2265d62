//! Mneme's allocator, with a count of the bytes that are asked for.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Counting;

static BYTES: AtomicU64 = AtomicU64::new(0);

/// How many bytes were ever asked for.
pub fn bytes() -> u64 {
    BYTES.load(Ordering::Relaxed)
}

// SAFETY: all requests go to mimalloc as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { mimalloc::MiMalloc.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { mimalloc::MiMalloc.dealloc(ptr, layout) }
    }
}
