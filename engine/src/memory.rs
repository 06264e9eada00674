//! Zeroed memory for the hash table, on large pages where the system allows them.
//!
//! A table of many megabytes is read at random: with pages of 4 KiB nearly every look-up misses the
//! page cache of the CPU as well. Transparent huge pages are asked for; that is only advice, so a
//! refusal costs speed and nothing else.
#![allow(unsafe_code, reason = "a mapping is seen as a slice of atomics")]

use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};

/// Types for which zeroed memory is a value and which may change behind a shared reference.
///
/// # Safety
/// Every bit pattern is a value, and the type consists of atomics only.
pub(crate) unsafe trait Shared {}

// SAFETY: any eight bytes are an `AtomicU64`.
unsafe impl Shared for AtomicU64 {}
// SAFETY: an array of such values has no other bytes.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

/// A slice of `T` in memory of its own, all zero at first.
#[derive(Debug)]
pub(crate) struct SharedMemory<T> {
    map: MmapMut,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Shared> SharedMemory<T> {
    /// Maps memory for `length` values.
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(crate) fn zeroed(length: usize) -> io::Result<Self> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes.max(1)).map_anon()?;
        #[cfg(target_os = "linux")]
        let _advice_only = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, length, kind: PhantomData })
    }
}

impl<T: Shared> Deref for SharedMemory<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        const { assert!(align_of::<T>() <= 4096, "a mapping starts on a page") };
        // SAFETY: the mapping has room for `length` values and is aligned to a page; it is only
        // ever seen as this type, and `Shared` makes every content and every change valid.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
}
