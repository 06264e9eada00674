//! Bounds from inside jobs: who is told of them, and who is not.

use std::collections::{BTreeMap, BTreeSet};

use outflank_coordinator::core::{
    Command, Config, Event, Job, Judgement, Method, SolveId, WorkerId,
};
use outflank_engine::{Bound, FoundBound, Position, Score, Square};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, only_job, truth, whole};
use crate::worker::empty;

/// Sizes at which every bound is dear, and jobs that run into their limits are split.
fn sharing() -> Config {
    Config { leaf_empties: 3, inside_nodes: 1.0, inside_nodes_per_thread: 0.0, ..whole() }
}

/// Returns the position that a search of `job` begins with.
fn begin(job: &Job) -> Position {
    job.symmetry.position(job.position)
}

/// Returns whether the squares that are filled where `job` begins are filled in `position`.
fn may_meet(job: &Job, position: Position) -> bool {
    position.empty() & !begin(job).empty() == 0
}

/// Returns a true bound of a position that both searches may meet: by moves from the first, and as far as the filled
/// squares tell from the other.
fn found_in_both(first: &Job, other: &Job) -> FoundBound {
    let mut random = Random(3);
    let (position, bound) = (0..10_000)
        .find_map(|_| {
            let mut position = begin(first);
            for _ in 0..4 {
                let moves: Vec<Square> = Square::all(position.moves()).collect();
                let choice = random.below(moves.len().max(1) as u64) as usize;
                position = position.play(*moves.get(choice)?)?;
            }
            let is_common = may_meet(other, position) && !position.is_over();
            is_common
                .then(|| (position, Bound::exact(Oracle::default().value(position.canonical()))))
        })
        .expect("moves of brothers can be played in turn");
    FoundBound { position, bound, nodes: 100 }
}

/// Returns a true bound of a position that the search of `first` may meet, and that of `other` may not.
fn found_in_one(first: &Job, other: &Job) -> FoundBound {
    let mut random = Random(3);
    let mut below = || {
        let mut position = begin(first);
        for _ in 0..2 {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            let choice = random.below(moves.len().max(1) as u64) as usize;
            position = position.play(*moves.get(choice)?)?;
        }
        Some(position).filter(|&position| !may_meet(other, position) && !position.is_over())
    };
    let position = (0..10_000).find_map(|_| below()).expect("another square is empty");
    let bound = Bound::exact(Oracle::default().value(position.canonical()));
    FoundBound { position, bound, nodes: 100 }
}

fn found(worker: u64, job: &Job, bounds: Vec<FoundBound>) -> Event {
    Event::Found { worker: WorkerId(worker), job: job.id, era: job.era, bounds }
}

fn told(commands: &[Command]) -> Vec<(u64, Vec<(Position, Bound)>)> {
    let tells = commands.iter().filter_map(|command| match command {
        Command::Tell { worker, known, .. } => Some((worker.0, known.clone())),
        _ => None,
    });
    tells.collect()
}

/// Returns a script with three workers whose jobs are parts of one request.
fn three_at_work(config: Config) -> (Script, Vec<(u64, Job)>) {
    let mut script = Script::new(config);
    script.join(0, 1, 1);
    let (_, root) = only_job(&script.submit(0, 1, position(&mut Random(5), 10)));
    script.join(0, 2, 1);
    script.join(0, 3, 1);
    let jobs = assigned(&script.report(1, 1, empty(&root, root.node_limit)));
    assert_eq!(jobs.len(), 3, "{jobs:?}");
    (script, jobs)
}

#[test]
fn what_is_found_inside_a_job_is_told_with_a_heartbeat_to_others_who_may_meet_it_once() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), (third, beside)] = &jobs[..] else { panic!("{jobs:?}") };
    assert_eq!(from.inside, Some(1));
    let inside = found_in_both(from, to);
    let commands = script.at(2, found(*author, from, vec![inside]));
    let kept = commands.iter().find_map(|command| match command {
        Command::Persist { proofs } => proofs.first().copied(),
        _ => None,
    });
    let kept = kept.expect("it is a claim like any");
    assert_eq!((kept.worker, kept.method), (Some(WorkerId(*author)), Method::Search));
    assert_eq!((kept.position, kept.bound), (inside.position.canonical(), inside.bound));
    assert_eq!(told(&script.heartbeat(3, *author, &[from])), [], "it knows that itself");
    let expected = vec![(inside.position, inside.bound)];
    assert_eq!(told(&script.heartbeat(3, *other, &[to])), [(*other, expected.clone())]);
    assert_eq!(told(&script.heartbeat(4, *other, &[to])), [], "once");
    let meets = may_meet(beside, inside.position);
    let to_third = told(&script.heartbeat(4, *third, &[beside]));
    assert_eq!(to_third, if meets { vec![(*third, expected)] } else { vec![] });
}

/// Sizes at which a bound of 1,000 nodes is dear, and in a small fleet one of 75 after ten million nodes of a request.
fn sharing_soon() -> Config {
    Config { inside_nodes: 1000.0, soon_nodes: 50.0, soon_share: 7.5e-6, ..sharing() }
}

fn is_kept(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Persist { .. }))
}

#[test]
fn in_a_small_fleet_all_who_may_meet_a_bound_are_told_of_it_at_the_next_tick() {
    for (soon_slots, is_soon) in [(3, true), (2, false)] {
        let (mut script, jobs) = three_at_work(Config { soon_slots, ..sharing() });
        let [(author, from), (other, to), (third, beside)] = &jobs[..] else { panic!("{jobs:?}") };
        let inside = found_in_both(from, to);
        script.at(2, found(*author, from, vec![inside]));
        let known = vec![(inside.position, inside.bound)];
        let mut expected = BTreeMap::from([(*other, known.clone())]);
        if may_meet(beside, inside.position) {
            expected.insert(*third, known);
        }
        let at_once: BTreeMap<_, _> = told(&script.at(2, Event::Tick)).into_iter().collect();
        assert_eq!(at_once, if is_soon { expected } else { BTreeMap::new() });
        assert_eq!(told(&script.at(2, Event::Tick)), [], "once");
        assert_eq!(told(&script.heartbeat(3, *other, &[to])).is_empty(), is_soon);
    }
}

#[test]
fn in_a_small_fleet_cheaper_bounds_are_kept_as_long_as_they_are_a_part_of_the_request() {
    for (soon_slots, is_small) in [(3, true), (2, false)] {
        let (mut script, jobs) = three_at_work(Config { soon_slots, ..sharing_soon() });
        let [(author, from), (_, to), _] = &jobs[..] else { panic!("{jobs:?}") };
        assert_eq!(from.inside, Some(if is_small { 50 } else { 1000 }));
        let inside = many_found_in_both(from, to, 4);
        let of_nodes =
            |place: usize, nodes| found(*author, from, vec![FoundBound { nodes, ..inside[place] }]);
        assert_eq!(is_kept(&script.at(2, of_nodes(0, 100))), is_small);
        // After twice as many nodes that is not enough.
        let nodes = vec![(from.id, 10_000_000)];
        script.at(3, Event::Heartbeat { worker: WorkerId(*author), jobs: nodes });
        assert!(!is_kept(&script.at(3, of_nodes(1, 100))));
        assert_eq!(is_kept(&script.at(3, of_nodes(1, 400))), is_small);
        // What is dear anywhere is dear here.
        let nodes = vec![(from.id, 1_000_000_000)];
        script.at(4, Event::Heartbeat { worker: WorkerId(*author), jobs: nodes });
        assert!(!is_kept(&script.at(4, of_nodes(2, 999))));
        assert!(is_kept(&script.at(4, of_nodes(2, 1000))));
    }
}

#[test]
fn where_one_worker_has_a_request_for_itself_only_dear_bounds_are_kept() {
    let mut script = Script::new(sharing_soon());
    script.join(0, 1, 1);
    let (_, root) = only_job(&script.submit(0, 1, position(&mut Random(5), 10)));
    script.join(0, 2, 1);
    let (_, other) = only_job(&script.submit(1, 2, position(&mut Random(6), 10)));
    let inside = found_in_both(&root, &root);
    assert!(!is_kept(&script.at(2, found(1, &root, vec![inside]))), "{other:?}");
    assert!(is_kept(&script.at(2, found(1, &root, vec![FoundBound { nodes: 1000, ..inside }]))));
}

#[test]
fn a_job_that_is_handed_out_later_comes_with_what_was_found_below_it_and_with_nothing_else() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    script.at(2, found(*author, from, vec![inside]));
    let mut seen = [0, 0];
    let commands = script.report(3, *other, empty(to, to.node_limit));
    for (_, job) in assigned(&commands) {
        let comes = job.known.contains(&(inside.position, inside.bound));
        let is_below = inside.position.empties() < job.position.empties();
        assert_eq!(comes, is_below && may_meet(&job, inside.position), "{job:?}");
        seen[usize::from(comes)] += 1;
    }
    script.join(4, 9, 12);
    for (_, job) in assigned(&script.at(5, Event::Tick)) {
        let comes = job.known.contains(&(inside.position, inside.bound));
        seen[usize::from(comes)] += 1;
    }
    assert!(seen[0] + seen[1] > 0, "{seen:?}");
}

#[test]
fn what_cannot_be_below_a_job_is_of_another_era_or_of_a_job_that_is_over_is_no_claim() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    let is_kept = |commands: &[Command]| {
        commands.iter().any(|command| matches!(command, Command::Persist { .. }))
    };
    let above = FoundBound { position: begin(from), ..inside };
    assert!(!is_kept(&script.at(2, found(*author, from, vec![above]))));
    let Event::Found { worker, job, bounds, .. } = found(*author, from, vec![inside]) else {
        panic!("it is that event");
    };
    let later = Event::Found { worker, job, era: from.era + 1, bounds };
    assert!(!is_kept(&script.at(2, later)));
    let beside = found_in_one(to, from);
    assert!(
        !is_kept(&script.at(2, found(*author, from, vec![beside]))),
        "a disc has left the board"
    );
    assert!(!is_kept(&script.at(2, found(*other, from, vec![inside]))), "not its job");
    script.report(3, *author, truth(from));
    assert!(!is_kept(&script.at(4, found(*author, from, vec![inside]))), "it is over");
}

#[test]
fn who_judges_a_claim_from_inside_a_job_does_so_apart_and_is_told_nothing() {
    let (mut script, jobs) = three_at_work(Config { audit_share: 1.0, ..sharing() });
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    script.at(2, found(*author, from, vec![inside]));
    let commands = script.report(3, *other, truth(to));
    let claimed = inside.position.canonical();
    let audit = assigned(&commands).into_iter().find(|(_, job)| job.position == claimed);
    let (judge, audit) = audit.expect("the share is one in one");
    assert_ne!(judge, *author);
    assert!(audit.is_apart && audit.inside.is_none() && audit.known.is_empty(), "{audit:?}");
    assert_eq!(told(&script.heartbeat(4, judge, &[&audit])), []);
}

#[test]
fn a_false_bound_from_inside_a_job_is_refuted_and_its_author_convicted() {
    let (mut script, jobs) = three_at_work(Config { audit_share: 1.0, ..sharing() });
    let [(author, from), (other, to), (third, beside)] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    let value = inside.bound.value().expect("it is exact");
    let bound = match value < Score::MAX {
        true => Bound::at_least(value.up()),
        false => Bound::at_most(value.down()),
    };
    script.at(2, found(*author, from, vec![FoundBound { bound, ..inside }]));
    let claimed = inside.position.canonical();
    let mut convicted = Vec::new();
    for (second, worker, job) in [(3, *other, to), (4, *third, beside)] {
        let commands = script.report(second, worker, truth(job));
        let audit = assigned(&commands).into_iter().find(|(_, job)| job.position == claimed);
        let (judge, audit) = audit.expect("each is asked in turn");
        for command in script.report(second, judge, truth(&audit)) {
            if let Command::Judge(Judgement::Convict { workers, .. }) = command {
                convicted.extend(workers);
            }
        }
    }
    assert_eq!(convicted, [WorkerId(*author)]);
}

#[test]
fn a_bound_that_says_nothing_keeps_no_news_back() {
    let mut script = Script::new(sharing());
    script.join(0, 1, 1);
    let (_, root) = only_job(&script.submit(0, 1, position(&mut Random(5), 10)));
    script.join(0, 2, 1);
    script.join(0, 3, 1);
    let jobs = assigned(&script.report(1, 1, empty(&root, root.node_limit)));
    let ((author, from), (other, to)) = (jobs[0].clone(), jobs[1].clone());
    let mut random = Random(3);
    let mut deeper = || {
        let mut position = begin(&from);
        for _ in 0..4 {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            let choice = random.below(moves.len().max(1) as u64) as usize;
            position = position.play(*moves.get(choice)?)?;
        }
        Some(position).filter(|&position| may_meet(&to, position) && !position.is_over())
    };
    let inside = (0..10_000).find_map(|_| deeper()).expect("both jobs may come to it");
    let next = Square::all(inside.moves()).find_map(|square| inside.play(square));
    let bound = Bound::exact(Oracle::default().value(inside.canonical()));
    let mut find = |position, bound| {
        let bounds = vec![FoundBound { position, bound, nodes: 100 }];
        script.at(2, Event::Found { worker: WorkerId(author), job: from.id, era: 0, bounds });
    };
    find(next.expect("it has a move"), Bound::UNKNOWN);
    find(inside, bound);
    let commands = script.heartbeat(3, other, &[&to]);
    let is_told = commands.iter().any(|command| matches!(command, Command::Tell { .. }));
    assert!(is_told, "{commands:?}");
}

/// Returns so many true bounds of different positions that both searches may meet.
fn many_found_in_both(first: &Job, other: &Job, most: usize) -> Vec<FoundBound> {
    let oracle = Oracle::default();
    let (mut seen, mut open, mut all) = (BTreeSet::new(), vec![begin(first)], Vec::new());
    while all.len() < most {
        let position = open.pop().expect("there are enough");
        for next in Square::all(position.moves()).filter_map(|square| position.play(square)) {
            if next.is_over() || !seen.insert(next.canonical()) {
                continue;
            }
            open.push(next);
            if may_meet(other, next) {
                let bound = Bound::exact(oracle.value(next.canonical()));
                all.push(FoundBound { position: next, bound, nodes: 100 });
            }
        }
    }
    all.truncate(most);
    all
}

#[test]
fn all_bounds_of_a_long_message_are_told_once() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = many_found_in_both(from, to, 300);
    script.at(2, found(*author, from, inside.clone()));
    let (mut sizes, mut heard) = (Vec::new(), Vec::new());
    for second in 3..8 {
        for (_, known) in told(&script.heartbeat(second, *other, &[to])) {
            sizes.push(known.len());
            heard.extend(known);
        }
    }
    assert_eq!(sizes, [128, 128, 44]);
    let expected: Vec<_> = inside.iter().map(|found| (found.position, found.bound)).collect();
    assert_eq!(heard, expected);
}

#[test]
fn a_bound_that_is_not_on_disk_holds_up_no_other_and_is_told_when_it_is_there() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = many_found_in_both(from, to, 200);
    script.at(2, found(*author, from, inside.clone()));
    let (last, late) = inside.split_last().expect("there are some");
    for found in late {
        script.store.0.remove(&found.position.canonical());
    }
    let last = (last.position, last.bound);
    assert_eq!(told(&script.heartbeat(3, *other, &[to])), [], "it looks at so many at once");
    assert_eq!(told(&script.heartbeat(4, *other, &[to])), [(*other, vec![last])]);
    for found in late {
        script.store.0.insert(found.position.canonical(), (found.bound, None));
    }
    let mut heard = BTreeMap::new();
    for second in 5..9 {
        for (_, known) in told(&script.heartbeat(second, *other, &[to])) {
            for (position, bound) in known {
                assert_eq!(heard.insert(position, bound), None, "once");
            }
        }
    }
    assert_eq!(heard, late.iter().map(|found| (found.position, found.bound)).collect());
}

#[test]
fn what_somebody_is_told_of_another_job_is_noted() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    script.at(2, found(*author, from, vec![inside]));
    let commands = script.heartbeat(3, *other, &[to]);
    let expected = Command::Told {
        worker: WorkerId(*other),
        bounds: vec![(inside.position.canonical(), inside.bound)],
        and_more: false,
    };
    assert!(commands.contains(&expected), "{commands:?}");
}

#[test]
fn a_bound_from_inside_a_job_that_contradicts_what_is_proved_is_not_kept() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    let value = inside.bound.value().expect("it is exact");
    let position = inside.position.canonical();
    script.store.0.insert(position, (inside.bound, None));
    let bound = Bound::exact(if value < Score::MAX { value.up() } else { value.down() });
    let commands = script.at(2, found(*author, from, vec![FoundBound { bound, ..inside }]));
    let is_doubted = |command: &Command| matches!(command, Command::Doubt { claim, .. } if claim.position == position);
    assert!(commands.iter().any(is_doubted), "{commands:?}");
    assert_eq!(script.store.0[&position].0, inside.bound);
    assert_eq!(told(&script.heartbeat(3, *other, &[to])), [], "nobody is told");
}

#[test]
fn who_cannot_meet_a_position_is_not_told_of_it() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    script.at(2, found(*author, from, vec![found_in_one(from, to)]));
    assert_eq!(told(&script.heartbeat(3, *other, &[to])), []);
}

#[test]
fn what_was_found_inside_jobs_is_forgotten_with_their_request() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), (third, beside)] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    script.at(2, found(*author, from, vec![inside]));
    script.at(3, Event::Abandoned { solve: SolveId(1) });
    let late = script.at(3, found(*author, from, vec![found_in_one(from, to)]));
    let is_kept = |command: &Command| matches!(command, Command::Persist { .. });
    assert!(!late.iter().any(is_kept), "there is nobody to tell: {late:?}");
    for (worker, job) in [(author, from), (other, to), (third, beside)] {
        script.report(4, *worker, empty(job, 1));
    }
    let (_, root) = only_job(&script.submit(5, 1, position(&mut Random(5), 10)));
    assert_eq!(root.known, []);
}

#[test]
fn nobody_is_told_of_what_is_not_on_disk_yet() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let inside = found_in_both(from, to);
    let before = script.store.0.clone();
    script.at(2, found(*author, from, vec![inside]));
    // The disk is slow.
    let written = std::mem::replace(&mut script.store.0, before);
    assert_eq!(told(&script.heartbeat(3, *other, &[to])), []);
    script.store.0 = written;
    let expected = vec![(inside.position, inside.bound)];
    assert_eq!(told(&script.heartbeat(4, *other, &[to])), [(*other, expected)]);
}

#[test]
fn no_job_comes_with_what_is_not_on_disk_yet() {
    let (mut script, jobs) = three_at_work(sharing());
    let [(author, from), (other, to), _] = &jobs[..] else { panic!("{jobs:?}") };
    let before = script.store.0.clone();
    script.at(2, found(*author, from, vec![found_in_both(from, to)]));
    script.store.0 = before;
    let jobs = assigned(&script.report(3, *other, empty(to, to.node_limit)));
    let known = jobs.iter().flat_map(|(_, job)| &job.known);
    assert_eq!(known.filter(|(_, bound)| *bound == Bound::UNKNOWN).count(), 0, "{jobs:?}");
    assert!(!jobs.is_empty());
}
