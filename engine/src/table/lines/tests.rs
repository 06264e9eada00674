//! What lines keep, whatever is written beside it, and how many of them are in use.

use super::*;

fn place(hash: u64, player: u64) -> Place {
    Place { hash, player, opponent: 1 << 63 }
}

#[test]
fn every_pack_survives_its_neighbours() {
    let packs = Packs([0; 2]).with(2, PACK_MASK).with(0, 0x12_3456_789A).with(1, 0xFE_DCBA_9876);
    assert_eq!([0, 1, 2].map(|way| packs.get(way)), [0x12_3456_789A, 0xFE_DCBA_9876, PACK_MASK]);
    assert_eq!(packs.with(2, 0x55).get(2), 0x55);
}

#[test]
fn three_positions_share_a_line_and_the_cheapest_makes_room() {
    let lines = Lines::new(64).unwrap();
    for (player, pack) in [(1, 9), (2, 4), (4, 63)] {
        lines.put(place(0, player), |_| pack, |pack| pack as i32);
    }
    lines.put(place(0, 16), |_| 5, |pack| pack as i32);
    let packs = [1, 2, 4, 16].map(|player| lines.get(place(0, player)));
    assert_eq!(packs, [Some(9), None, Some(63), Some(5)]);
}

#[test]
fn all_that_is_kept_can_be_listed() {
    let lines = Lines::new(1 << 12).unwrap();
    lines.prepare(8);
    for player in [1, 4, 16] {
        lines.put(place(u64::MAX / player, player), |_| player + 7, |pack| pack as i32);
    }
    let mut found: Vec<_> = lines.iter().map(|(player, _, pack)| (player, pack)).collect();
    found.sort_unstable();
    assert_eq!(found, [(1, 8), (4, 11), (16, 23)]);
    lines.clear();
    assert_eq!(lines.iter().count(), 0);
}

#[test]
fn a_torn_write_reads_as_absent() {
    let lines = Lines::new(64).unwrap();
    lines.put(place(0, 1), |_| 7, |_| 0);
    let line = &lines.lines[0];
    for way in 0..WAYS {
        Packs::load(line).with(way, 9).store(line, way);
    }
    assert_eq!(lines.get(place(0, 1)), None);
}

/// Returns the words that a write of this entry leaves in the first way.
fn words(player: u64, opponent: u64, pack: u64) -> [u64; 3] {
    let lines = Lines::new(64).unwrap();
    lines.put(Place { hash: 0, player, opponent }, |_| pack, |_| 0);
    let line = &lines.lines[0];
    let [first, second] = &line.boards[0];
    [&line.packs[0], first, second].map(|word| word.load(Ordering::Relaxed))
}

/// Threads write without a lock: one word may be of another write than the next.
#[test]
fn a_mixture_of_two_writes_is_about_neither_position_nor_about_a_mixture() {
    let one = (0b0011, 0b1100, 9);
    // Another position, with another pack and with the same, and positions that share a board.
    for other in
        [(0b0101, 0b1010, 5), (0b0101, 0b1010, 9), (0b0011, 0b1010, 9), (0b0101, 0b1100, 9)]
    {
        let writes = [one, other].map(|(player, opponent, pack)| words(player, opponent, pack));
        for mixture in 0..8 {
            let mixed = [0, 1, 2].map(|word: usize| writes[mixture >> word & 1][word]);
            if writes.contains(&mixed) {
                continue;
            }
            let lines = Lines::new(64).unwrap();
            let line = &lines.lines[0];
            line.packs[0].store(mixed[0], Ordering::Relaxed);
            line.boards[0][0].store(mixed[1], Ordering::Relaxed);
            line.boards[0][1].store(mixed[2], Ordering::Relaxed);
            // The last two are those that the first word seems to say with the pack of the other write.
            let swapped = one.2 ^ other.2;
            for player in [one.0, other.0, one.0 ^ swapped, other.0 ^ swapped] {
                for opponent in [one.1, other.1] {
                    let found = lines.get(Place { hash: 0, player, opponent });
                    assert_eq!(found, None, "{player:b} {opponent:b} of {one:?} {other:?}");
                }
            }
        }
    }
}

/// Stands for a hash of boards, of which the tests use the player's alone.
fn hash(player: u64, _opponent: u64) -> u64 {
    player.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn put(lines: &Lines, player: u64) {
    let pack = player * 7;
    lines.put(place(hash(player, 0), player), |_| pack, |pack| pack as i32);
}

fn get(lines: &Lines, player: u64) -> Option<u64> {
    lines.get(place(hash(player, 0), player))
}

#[test]
fn more_work_takes_more_into_use_and_clearing_gives_it_back() {
    let lines = Lines::new(3 << 21).unwrap();
    lines.prepare(64);
    lines.grow(1 << 30, hash);
    assert_eq!(lines.in_use(), 64);
    lines.prepare(1 << 40);
    assert_eq!(lines.in_use(), FIRST_LINES);
    // However much is lacking: whoever does it would not hear that it is to stop.
    for more in 1..=5 {
        lines.grow(1, hash);
        assert_eq!(lines.in_use(), FIRST_LINES + more * MOST_AT_ONCE);
    }
    assert_eq!(lines.in_use(), 3 << 15, "these are all");
    lines.grow(1, hash);
    assert_eq!(lines.in_use(), 3 << 15);
    for player in 1..100 {
        put(&lines, player);
    }
    lines.clear();
    lines.prepare(1 << 40);
    lines.grow(NODES_PER_LINE * FIRST_LINES as u64, hash);
    assert_eq!(lines.in_use(), FIRST_LINES);
    lines.grow(1 << 30, hash);
    assert_eq!(lines.iter().count(), 0);
}

#[test]
fn large_tables_are_cleared_to_the_last_line() {
    for lines in [LARGE - 1, LARGE, LARGE + 5] {
        let table = Lines::new(lines * 64).unwrap();
        table.in_use.store(lines, Ordering::Relaxed);
        for number in 0..lines {
            table.lines[number].put(number % WAYS, Packs([0; 2]), 9, 1 + number as u64, 1 << 63);
        }
        assert_eq!(table.iter().count(), lines);
        table.clear();
        let words = |line: &Line| {
            line.boards
                .as_flattened()
                .iter()
                .chain(&line.packs)
                .any(|word| word.load(Ordering::Relaxed) != 0)
        };
        assert!(!table.lines.iter().any(words), "of {lines} lines");
    }
}

#[test]
fn growing_loses_nothing() {
    let lines = Lines::new(7 << 20).unwrap();
    lines.prepare(1 << 40);
    for player in 1..=5000 {
        put(&lines, player);
    }
    // What has lost its place to another is gone before.
    let kept: Vec<_> = (1..=5000).filter(|&player| get(&lines, player).is_some()).collect();
    assert!(kept.len() > 4900, "{}", kept.len());
    lines.grow(NODES_PER_LINE * FIRST_LINES as u64, hash);
    while lines.in_use() < 7 << 14 {
        let before = lines.in_use();
        lines.grow(NODES_PER_LINE * (PORTION as u64 + 77), hash);
        assert!((before + 1..=before + 2 * PORTION).contains(&lines.in_use()));
        assert!(kept.iter().all(|&player| get(&lines, player) == Some(player * 7)));
        assert_eq!(lines.iter().count(), kept.len());
    }
}

#[test]
fn what_is_read_while_the_part_in_use_grows_is_true() {
    let lines = Lines::new(16 << 20).unwrap();
    lines.prepare(1 << 40);
    let found = AtomicUsize::new(0);
    let work = |first: u64| {
        for player in (first..400_000).step_by(4) {
            put(&lines, player);
            lines.grow(4 * NODES_PER_LINE, hash);
            for asked in [player, player ^ 1, player / 2] {
                if let Some(pack) = get(&lines, asked) {
                    assert_eq!(pack, asked * 7);
                    found.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for first in 1..=4 {
            scope.spawn(move || work(first));
        }
    });
    assert_eq!(lines.in_use(), 1 << 18);
    assert!(found.into_inner() > 400_000);
}
