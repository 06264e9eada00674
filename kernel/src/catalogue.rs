//! The catalogue: every variant of every family, with the features it needs, and how the engine
//! gets the one that [`choice`](crate::choice) names.
//!
//! A family's module writes its table with the macro `family!`:
//!
//! ```text
//! family! {
//!     /// Player, opponent → the squares where the player can move.
//!     Moves = fn(player: u64, opponent: u64) -> u64;
//!     chosen by MOBILITY or "OUTFLANK_KERNEL_MOBILITY";
//!     portable { "reference" "B1" [] scalar::moves, … }
//!     x86_64   { "avx2_four_directions" "B1" ["avx2"] avx2::moves, … }
//!     aarch64  { … }
//! }
//! ```
//! Each line is a name, its labels, the features and the function. The macro
//! makes of it `VARIANTS`, which tests and benchmarks walk, and, for families that the engine uses,
//! `chosen`, which becomes the chosen variant on each level without a trace of the others. The
//! environment variable, read when the kernels are compiled, overrides the choice on all levels that
//! have the variant's features; an unknown name does not compile, and the error says the names.
//!
//! Bare-metal targets of x86-64 have no SSE2, nor any vector register: they get the portable lines.

use crate::Level;

/// One routine of a family.
#[derive(Clone, Copy, Debug)]
pub struct Variant<F: 'static> {
    pub(crate) entry: Entry,
    pub(crate) present: fn() -> bool,
    pub(crate) function: F,
}

/// What the catalogue says of a routine.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name by which a build selects it.
    pub name: &'static str,
    /// Its labels, such as `E9`: a letter for the kind of routine, a number for the idea.
    pub techniques: &'static str,
    /// The features that a CPU must have for it.
    pub needs: &'static [&'static str],
    /// Whether the whole build has the features, so that any code may enter it.
    pub(crate) compiled: bool,
}

impl Entry {
    /// Returns whether the engine of this build can enter it on `level`: where the level has the
    /// features, or the whole build has them (`RUSTFLAGS=-Ctarget-cpu=native`).
    #[must_use]
    pub const fn can_be_entered(&self, level: Level) -> bool {
        self.compiled || level.has(self.needs)
    }
}

impl<F: Copy> Variant<F> {
    /// Returns what the catalogue says of it.
    #[must_use]
    pub const fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Returns the routine, if this CPU has the features that it needs.
    #[must_use]
    pub fn function(&self) -> Option<F> {
        (self.present)().then_some(self.function)
    }
}

/// Whether the CPU has the features: at run time with `std`, otherwise what the target promises.
macro_rules! present {
    (portable []) => {
        true
    };
    (x86_64 [$($feature:tt),*]) => {{
        #[cfg(any(test, feature = "std"))]
        let present = true $(&& std::arch::is_x86_feature_detected!($feature))*;
        #[cfg(not(any(test, feature = "std")))]
        let present = true $(&& cfg!(target_feature = $feature))*;
        present
    }};
    (aarch64 [$($feature:tt),*]) => {{
        #[cfg(any(test, feature = "std"))]
        let present = true $(&& std::arch::is_aarch64_feature_detected!($feature))*;
        #[cfg(not(any(test, feature = "std")))]
        let present = true $(&& cfg!(target_feature = $feature))*;
        present
    }};
}
pub(crate) use present;

/// Calls a kernel with a function's arguments, or makes a function of it.
macro_rules! entered {
    ($kernel:path, ($($argument:ident: $type:ty),*)) => {
        // SAFETY: `Variant::function` hands it out only where the CPU has the features.
        |$($argument: $type),*| unsafe { $kernel($($argument),*) }
    };
    (call $kernel:path, ($($argument:ident: $type:ty),*)) => {
        // SAFETY: the caller proves the features of the level, among which the kernel's are.
        unsafe { $kernel($($argument),*) }
    };
}
pub(crate) use entered;

/// The entry of a variant.
macro_rules! entry {
    ($name:literal $techniques:literal [$($feature:tt),*]) => {
        $crate::catalogue::Entry {
            name: $name,
            techniques: $techniques,
            needs: &[$($feature),*],
            compiled: true $(&& cfg!(target_feature = $feature))*,
        }
    };
}
pub(crate) use entry;

/// Defines a family: its function type, its table and, if it is one of the engine's, `chosen`.
macro_rules! family {
    (
        $(#[$about:meta])*
        $kernel:ident = fn $arguments:tt -> $result:ty;
        chosen by $choice:ident or $variable:literal;
        portable $portable:tt
        x86_64 $x86_64:tt
        aarch64 $aarch64:tt
    ) => {
        $crate::catalogue::family! {
            $(#[$about])*
            $kernel = fn $arguments -> $result;
            portable $portable
            x86_64 $x86_64
            aarch64 $aarch64
        }
        $crate::catalogue::chosen! {
            $arguments -> $result, $choice, $variable,
            portable $portable x86_64 $x86_64 aarch64 $aarch64
        }
    };
    (
        $(#[$about:meta])*
        $kernel:ident = fn $arguments:tt -> $result:ty;
        portable { $($name:literal $techniques:literal $needs:tt $path:path),* $(,)? }
        x86_64 { $($x_name:literal $x_techniques:literal $x_needs:tt $x_path:path),* $(,)? }
        aarch64 { $($a_name:literal $a_techniques:literal $a_needs:tt $a_path:path),* $(,)? }
    ) => {
        $(#[$about])*
        pub type $kernel = fn $arguments -> $result;

        /// The variants that this architecture can have, the reference first.
        #[allow(unused_unsafe, reason = "portable kernels and those of the baseline are safe")]
        pub static VARIANTS: &[$crate::catalogue::Variant<$kernel>] = &[
            $($crate::catalogue::Variant {
                entry: $crate::catalogue::entry!($name $techniques $needs),
                present: || $crate::catalogue::present!(portable $needs),
                function: $crate::catalogue::entered!($path, $arguments),
            },)*
            $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            $crate::catalogue::Variant {
                entry: $crate::catalogue::entry!($x_name $x_techniques $x_needs),
                present: || $crate::catalogue::present!(x86_64 $x_needs),
                function: $crate::catalogue::entered!($x_path, $arguments),
            },)*
            $(#[cfg(target_arch = "aarch64")]
            $crate::catalogue::Variant {
                entry: $crate::catalogue::entry!($a_name $a_techniques $a_needs),
                present: || $crate::catalogue::present!(aarch64 $a_needs),
                function: $crate::catalogue::entered!($a_path, $arguments),
            },)*
        ];
    };
}
pub(crate) use family;

/// Defines `CHOICE` and `chosen` of a family that the engine uses.
macro_rules! chosen {
    (
        $arguments:tt -> $result:ty, $choice:ident, $variable:literal,
        portable { $($name:literal $techniques:literal $needs:tt $path:path),* $(,)? }
        x86_64 { $($x_name:literal $x_techniques:literal $x_needs:tt $x_path:path),* $(,)? }
        aarch64 { $($a_name:literal $a_techniques:literal $a_needs:tt $a_path:path),* $(,)? }
    ) => {
        /// What the catalogue says of the variants that this architecture can have.
        const ENTRIES: &[$crate::catalogue::Entry] = &[
            $($crate::catalogue::entry!($name $techniques $needs),)*
            $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            $crate::catalogue::entry!($x_name $x_techniques $x_needs),)*
            $(#[cfg(target_arch = "aarch64")]
            $crate::catalogue::entry!($a_name $a_techniques $a_needs),)*
        ];

        /// The variant that this build wishes for, if it does.
        const WISH: Option<&str> = option_env!($variable);

        const _: () = assert!(
            $crate::choice::is_known(WISH, ENTRIES),
            concat!(
                "the environment variable ", $variable, " names no variant of this architecture; \
                 it can be", $(" ", $name,)* "; on x86-64 also", $(" ", $x_name,)*
                "; on aarch64 also", $(" ", $a_name,)*
            ),
        );
        const _: () = assert!(
            $crate::choice::$choice.is_sound(ENTRIES),
            "a level lacks the features of the variant that is chosen for it",
        );

        /// Returns the name of the variant that the engine enters on a level.
        #[must_use]
        pub fn engine_choice(level: $crate::Level) -> &'static str {
            $crate::choice::$choice.name(level, WISH, ENTRIES)
        }

        /// Enters the variant that is chosen for the level of `K`.
        ///
        /// # Safety
        /// The CPU has the features of the level.
        #[allow(unused_unsafe, reason = "portable kernels and those of the baseline are safe")]
        #[inline(always)]
        pub(crate) unsafe fn chosen<K: $crate::level::OnLevel> $arguments -> $result {
            $(if const { $crate::choice::$choice.enters(K::LEVEL, $name, WISH, ENTRIES) } {
                return $crate::catalogue::entered!(call $path, $arguments);
            })*
            $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            if const { $crate::choice::$choice.enters(K::LEVEL, $x_name, WISH, ENTRIES) } {
                return $crate::catalogue::entered!(call $x_path, $arguments);
            })*
            $(#[cfg(target_arch = "aarch64")]
            if const { $crate::choice::$choice.enters(K::LEVEL, $a_name, WISH, ENTRIES) } {
                return $crate::catalogue::entered!(call $a_path, $arguments);
            })*
            unreachable!("the assertions above found a variant for each level")
        }
    };
}
pub(crate) use chosen;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_is_handed_out_where_the_cpu_has_what_it_needs() {
        let entry = entry!("name" "" []);
        let absent = Variant { entry, present: || false, function: () };
        assert_eq!(absent.function(), None);
        assert_eq!(Variant { present: || true, ..absent }.function(), Some(()));
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[test]
    fn a_level_enters_what_it_or_the_whole_build_has() {
        for (needs, build_has) in
            [(&["sse2"][..], true), (&["avx2"], cfg!(target_feature = "avx2"))]
        {
            let mut entries = crate::flip::VARIANTS.iter().map(Variant::entry);
            let entry = entries.find(|entry| entry.needs == needs).expect("there is a variant");
            assert_eq!(entry.can_be_entered(Level::Sse2), build_has, "{entry:?}");
            assert!(entry.can_be_entered(Level::Avx2), "{entry:?}");
        }
    }
}
