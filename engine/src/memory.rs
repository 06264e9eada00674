//! Zeroed memory on large pages where the system allows them, for the tables of the search.
//!
//! A table of many megabytes is read at random: with pages of 4 KiB nearly every look-up misses the
//! page cache of the CPU as well. Transparent huge pages are asked for; that is only advice, so a
//! refusal costs speed and nothing else.
#![allow(unsafe_code, reason = "a mapping is seen as a slice of values")]

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

use memmap2::{MmapMut, MmapOptions};

/// Types for which zeroed memory is a value.
///
/// # Safety
/// A value of only zero bytes is valid.
pub(crate) unsafe trait Zeroed {}

// SAFETY: eight zero bytes are the `AtomicU64` 0.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: two zero bytes are the `i16` 0.
unsafe impl Zeroed for i16 {}
// SAFETY: an array of such values has no other bytes.
unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}

/// A slice of `T` in memory of its own, all zero at first.
#[derive(Debug)]
pub(crate) struct LargePages<T> {
    map: MmapMut,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Zeroed> LargePages<T> {
    /// Maps memory for `length` values.
    ///
    /// # Errors
    /// What the system says when it has not got the memory.
    pub(crate) fn zeroed(length: usize) -> io::Result<Self> {
        const { assert!(align_of::<T>() <= 4096, "a mapping starts on a page") };
        const { assert!(!std::mem::needs_drop::<T>(), "a mapping does not drop its values") };
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapOptions::new().len(bytes.max(1)).map_anon()?;
        #[cfg(target_os = "linux")]
        let _advice_only = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, length, kind: PhantomData })
    }
}

impl<T: Zeroed> Deref for LargePages<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the mapping has room for `length` values, is aligned to a page, and is only ever
        // seen as this type, for which its zero bytes are values; what changes behind a shared
        // reference are atomics.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
}

impl<T: Zeroed> DerefMut for LargePages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the mapping is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().cast(), self.length) }
    }
}
