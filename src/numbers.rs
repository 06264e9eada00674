//! Numbers for people.

use std::time::Duration;

use indicatif::HumanCount;

/// Returns the number with a comma between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Returns the number with what it counts, whose plural has an s: `1 job`, `2,000 jobs`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// Returns the number in three or four digits and a unit: `57.3 M`.
pub(crate) fn short(number: f64) -> String {
    let units = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", number / unit),
        None => format!("{number:.0}"),
    }
}

/// Returns nodes per second; 0 where no time has passed.
pub(crate) fn rate(nodes: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { nodes as f64 / time.as_secs_f64() }
}

/// Returns a span of time for people: `0.213 s`, `1 min 02 s`, `3 h 05 min`.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.3} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            ["0", "999", "1,000", "12,345,678"],
            [0, 999, 1000, 12_345_678].map(grouped).as_slice()
        );
        assert_eq!(
            ["0 jobs", "1 job", "2,000 jobs"],
            [0, 1, 2000].map(|n| counted(n, "job")).as_slice()
        );
        assert_eq!(short(999.0), "999");
        assert_eq!(short(57_310_000.0), "57.3 M");
        assert_eq!(short(1.526e18), "1.5 E");
        assert_eq!(span(Duration::from_millis(213)), "0.213 s");
        assert_eq!(span(Duration::from_secs(62)), "1 min 02 s");
        assert_eq!(span(Duration::from_secs(11_100)), "3 h 05 min");
        assert_eq!(rate(5, Duration::ZERO).to_bits(), 0.0_f64.to_bits());
    }
}
