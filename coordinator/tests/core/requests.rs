//! What a request gets: its answer, its line, word of how far it is.

use outflank_coordinator::core::{
    Command, Config, Event, Job, Judgement, Method, Millis, Report, Solution, SolveId, Source,
    WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::oracle::{Oracle, replay};
use crate::random::{Random, position};
use crate::script::{Script, assigned, nine_empties, only_job, split, truth, whole};
use crate::worker::empty;

#[test]
fn the_answer_follows_its_proof_and_fits_the_orientation_of_the_client() {
    let mut script = Script::new(whole());
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, 7, truth(&job));
    let [Command::Persist { proofs }, Command::Solved { solution, .. }, last] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(proofs[0].method, Method::Search);
    assert_eq!(last, &Command::Acknowledge { worker: WorkerId(7), job: job.id });
    assert_eq!(replay(nine_empties(), &solution.line), solution.bound.value());
    assert_eq!((solution.source, solution.jobs, solution.nodes), (Source::Search, 1, 100));
}

#[test]
fn the_opponents_move_after_a_pass_is_not_the_best_move() {
    let children = |position: Position| {
        Square::all(position.moves()).filter_map(move |square| position.play(square))
    };
    let mut positions = (0..).flat_map(|seed| children(position(&mut Random(seed), 9)));
    let passing = positions.find(|child| child.must_pass()).unwrap();
    let mut script = Script::new(whole());
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, passing));
    let commands = script.report(1, 7, truth(&job));
    let solved = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution),
        _ => None,
    });
    let solution = solved.expect("it is solved");
    assert_eq!(replay(passing, &solution.line), solution.bound.value());
    assert!(!solution.line.is_empty());
    assert_eq!(solution.best_move, None);
}

#[test]
fn that_a_value_is_no_larger_names_no_best_move() {
    let value = Oracle::default().value(nine_empties());
    let solved = |window: Window| {
        let mut script = Script::new(whole());
        script.join(0, 7, 1);
        let (_, job) = only_job(&script.submit_window(0, 1, nine_empties(), window));
        let best_move = truth(&Job { window: Window::FULL, ..job.clone() }).best_move;
        let line = best_move.into_iter().collect();
        let commands = script.report(1, 7, Report { best_move, line, ..truth(&job) });
        let solved = commands.into_iter().find_map(|command| match command {
            Command::Solved { solution, .. } => Some(solution),
            _ => None,
        });
        solved.expect("it is solved")
    };
    let refuted = solved(Window::at_least(value.up()).unwrap());
    assert_eq!(refuted.bound, Bound::at_most(value));
    assert_eq!((refuted.best_move, refuted.line), (None, Vec::new()));
    let held = solved(Window::at_least(value).unwrap());
    assert_eq!(held.bound, Bound::at_least(value));
    assert!(held.best_move.is_some() && held.line.first() == held.best_move.as_ref());
}

#[test]
fn what_is_stored_of_the_moves_answers_at_once_and_is_kept() {
    let mut script = Script::new(whole());
    let oracle = Oracle::default();
    let after = |square| nine_empties().play(square);
    for child in Square::all(nine_empties().moves()).filter_map(after) {
        script.store.0.insert(child.canonical(), (Bound::exact(oracle.value(child)), None));
    }
    let commands = script.submit(0, 1, nine_empties());
    let [Command::Persist { proofs }, Command::Solved { solution, .. }] = &commands[..] else {
        panic!("{commands:?}");
    };
    let value = oracle.value(nine_empties());
    assert_eq!((proofs[0].method, proofs[0].bound), (Method::Inference, Bound::exact(value)));
    assert_eq!((solution.source, solution.bound), (Source::Store, Bound::exact(value)));
    let best = solution.best_move.and_then(after).expect("it is legal");
    assert_eq!(oracle.value(best), -value);
    let status = script.core.status();
    assert_eq!((status.questions, status.positions, status.solves), (0, 0, 0));
}

#[test]
fn the_store_answers_at_once_even_without_a_worker() {
    let mut script = Script::new(whole());
    let value = Oracle::default().value(nine_empties());
    script.store.0.insert(nine_empties().canonical(), (Bound::exact(value), None));
    let commands = script.submit(0, 1, nine_empties());
    let [Command::Solved { solve: SolveId(1), solution }] = &commands[..] else {
        panic!("{commands:?}");
    };
    assert_eq!((solution.source, solution.bound), (Source::Store, Bound::exact(value)));
}

#[test]
fn a_worker_completes_the_line_of_a_stored_answer() {
    let mut script = Script::new(whole());
    let value = Oracle::default().value(nine_empties());
    script.store.0.insert(nine_empties().canonical(), (Bound::exact(value), None));
    script.join(0, 7, 2);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!((job.window.lower(), job.window.upper()), (value.down(), value.up()));
    let commands = script.report(1, 7, truth(&job));
    let [Command::Persist { .. }, Command::Solved { solution, .. }, _] = &commands[..] else {
        panic!("{commands:?}");
    };
    assert_eq!(replay(nine_empties(), &solution.line), Some(value));
    assert_eq!(solution.source, Source::Store);
}

#[test]
fn the_line_of_an_exact_answer_is_kept_so_that_the_store_has_it_without_a_worker() {
    let mut script = Script::new(whole());
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, 7, truth(&job));
    let Command::Persist { proofs } = &commands[0] else { panic!("{commands:?}") };
    for proof in proofs {
        script.store.0.insert(proof.position, (proof.bound, None));
    }
    let mut later = Script { store: script.store, ..Script::new(whole()) };
    let commands = later.submit(0, 2, nine_empties());
    let [Command::Solved { solution, .. }] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(replay(nine_empties(), &solution.line), solution.bound.value());
}

#[test]
fn equal_requests_share_their_work() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (worker, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!(script.submit(0, 2, nine_empties()), []);
    let narrow = Window::at_least(Score::DRAW).unwrap();
    assert_eq!(script.submit_window(0, 3, nine_empties(), narrow), [], "the wide one answers it");
    let commands = script.report(1, worker, truth(&job));
    let solved = commands.iter().filter(|command| matches!(command, Command::Solved { .. }));
    assert_eq!(solved.count(), 3);
}

#[test]
fn an_abandoned_request_takes_its_work_along() {
    let mut script = Script::new(split());
    for worker in 1..5 {
        script.join(0, worker, 1);
    }
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert!(jobs.len() > 1);
    let commands = script.at(1, Event::Abandoned { solve: SolveId(1) });
    assert_eq!(commands.len(), jobs.len());
    assert!(commands.iter().all(|command| matches!(command, Command::Cancel { .. })));
    let status = script.core.status();
    assert_eq!((status.questions, status.positions, status.solves), (0, 0, 0));
    assert_eq!(status.jobs_running, 4, "the workers have not reported yet");
}

#[test]
fn a_contradiction_is_set_aside_and_stops_the_request() {
    let mut script = Script::new(whole());
    let held = Bound::at_least(Score::DRAW);
    script.store.0.insert(nine_empties().canonical(), (held, None));
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let bound = Bound::at_most(Score::DRAW.down());
    let commands = script.report(1, 1, Report { bound, ..truth(&job) });
    let [
        Command::Doubt { claim: doubted, .. },
        contradicted,
        Command::Quarantine { claim, .. },
        Command::Acknowledge { .. },
    ] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert_eq!(doubted.bound, held, "whoever comes later decides");
    let (solve, position) = (SolveId(1), job.position);
    assert_eq!(contradicted, &Command::Contradicted { solve, position, held, claimed: bound });
    assert_eq!((claim.position, claim.bound), (job.position, bound));
    assert_eq!(script.store.0[&job.position].0, held, "nothing was merged");
}

#[test]
fn progress_comes_once_an_interval_and_counts_running_jobs() {
    let mut script = Script::new(Config::default());
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.heartbeat(1, 1, &[&job]);
    let commands = script.at(1, Event::Tick);
    let [Command::Progressed { progress, .. }] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!((progress.nodes, progress.jobs_open, progress.workers), (1_000, 1, 1));
    assert_eq!(script.core.on(Millis(1_499), Event::Tick, &script.store), []);
    assert_eq!(script.core.on(Millis(1_500), Event::Tick, &script.store).len(), 1);
}

#[test]
fn progress_names_the_thresholds_that_are_asked_about() {
    let interval = Config::default().progress_interval;
    let mut script = Script::new(Config { progress_interval: interval, ..split() });
    script.join(0, 1, 1);
    script.submit(0, 1, nine_empties());
    let commands = script.at(1, Event::Tick);
    let [Command::Progressed { progress, .. }] = &commands[..] else { panic!("{commands:?}") };
    let (lower, upper) = (progress.window.lower(), progress.window.upper());
    assert_eq!(upper, lower.up().up(), "two goals, one score apart");
}

#[test]
fn what_proves_only_that_it_is_no_better_does_not_replace_the_best_move() {
    let root = nine_empties().canonical();
    let value = Oracle::default().value(root);
    let best = Square::all(root.moves()).last();
    let mut script = Script::new(Config { lines: false, ..split() });
    script.store.0.insert(root, (Bound::at_least(value), best));
    for square in Square::all(root.moves()) {
        let child = root.play(square).expect("the move is legal").canonical();
        script.store.0.insert(child, (Bound::at_least(-value), None));
    }
    script.join(0, 7, 1);
    let commands = script.submit(0, 1, root);
    let solution = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution),
        _ => None,
    });
    let solution = solution.expect("what is stored answers it");
    assert_eq!((solution.bound, solution.best_move), (Bound::exact(value), best));
}

#[test]
fn all_requests_that_rest_on_a_claim_wait_for_its_audit() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.submit(0, 2, nine_empties());
    script.join(0, 2, 1);
    let claim = Report { line: Vec::new(), ..truth(&job) };
    let commands = script.report(1, 1, claim);
    let (_, audit) = only_job(&commands);
    assert!(audit.is_apart);
    let solved = |commands: &[Command]| -> Vec<u64> {
        let all = commands.iter().filter_map(|command| match command {
            Command::Solved { solve, .. } => Some(solve.0),
            _ => None,
        });
        all.collect()
    };
    assert!(solved(&commands).is_empty(), "the claim is being solved again: {commands:?}");
    assert!(solved(&script.submit(1, 3, nine_empties())).is_empty(), "the store has it, too");
    let other = position(&mut Random(12), 9);
    script.store.0.insert(other.canonical(), (Bound::exact(Score::DRAW), None));
    assert_eq!(solved(&script.submit(1, 4, other)), [4], "that is about something else");
    let upheld = Report { line: Vec::new(), ..truth(&audit) };
    assert_eq!(solved(&script.report(2, 2, upheld)), [1, 2, 3]);
}

#[test]
fn the_rest_of_a_line_that_one_worker_could_not_search_is_asked_of_another() {
    let mut script = Script::new(whole());
    script.join(0, 2, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (first, line) = only_job(&script.report(1, 2, Report { line: Vec::new(), ..truth(&job) }));
    script.join(1, 1, 1);
    let crashed = Report { failed: true, ..empty(&line, 0) };
    let (other, again) = only_job(&script.report(2, first, crashed));
    assert_eq!((other, again.position), (1, line.position));
}

/// Returns a canonical position with three empty squares where the game is over after one of the moves, that move, and how
/// it ends then.
pub(crate) fn about_to_end() -> (Position, Square, Score) {
    let mut random = Random(3);
    (0..10_000)
        .find_map(|_| {
            let position = position(&mut random, 3).canonical();
            let children = Square::all(position.moves())
                .filter_map(|square| Some((square, position.play(square)?)));
            let (over, others): (Vec<_>, Vec<_>) = children.partition(|(_, child)| child.is_over());
            let &(square, child) = over.first().filter(|_| !others.is_empty())?;
            Some((position, square, child.final_score()))
        })
        .expect("some games end early")
}

#[test]
fn who_claims_that_a_game_that_is_over_ended_otherwise_is_convicted_without_a_judge() {
    let (root, square, score) = about_to_end();
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, root));
    script.join(0, 2, 1);
    let wrong = Bound::exact(if score == Score::MAX { score.down() } else { score.up() });
    let lie = Report { children: vec![(square, wrong)], ..empty(&job, 100) };
    let commands = script.report(1, 1, Report { finished: true, ..lie });
    let verdict = commands.iter().find_map(|command| match command {
        Command::Judge(Judgement::Convict { workers, claimed, is_refused, .. }) => {
            Some((workers.clone(), *claimed, *is_refused))
        }
        _ => None,
    });
    assert_eq!(verdict, Some((vec![WorkerId(1)], wrong, true)), "{commands:?}");
    assert_eq!(assigned(&commands), [], "nobody has to judge");
    let commands = script.at(2, Event::TakenBack { era: 1 });
    let (worker, again) = only_job(&commands);
    assert_eq!((worker, again.position), (2, root.canonical()));
    assert_eq!(script.core.status().audits_open, 0);
    let commands = script.report(3, 2, truth(&again));
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
}

/// Returns a core whose only worker has the whole request as its job, that job, the move that is best and another one.
fn with_two_moves(window: Window) -> (Script, Job, Square, Square) {
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit_window(0, 1, nine_empties().canonical(), window));
    let best = truth(&Job { window: Window::FULL, ..job.clone() }).best_move;
    let best = best.expect("the value is known");
    let other = Square::all(job.position.moves()).find(|&square| square != best);
    (script, job, best, other.expect("it has several moves"))
}

fn solution(commands: &[Command]) -> &Solution {
    let found = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no answer in {commands:?}"))
}

#[test]
fn the_best_move_is_the_one_that_has_proved_most() {
    let value = Oracle::default().value(nine_empties());
    let said = |job: &Job, bound, best_move: Square| Report {
        bound,
        best_move: Some(best_move),
        ..empty(job, 1)
    };
    let (mut script, job, best, other) = with_two_moves(Window::at_least(value).unwrap());
    script.report(1, 1, said(&job, Bound::at_least(value.down()), other));
    let commands = script.report(2, 1, said(&job, Bound::at_least(value), best));
    assert_eq!(solution(&commands).best_move, Some(best), "it proves more");
    let (low, high) = (Bound::at_least(value), Bound::at_most(value));
    let (_, _, best, other) = with_two_moves(Window::FULL);
    for both in [[(low, best), (high, other)], [(high, other), (low, best)]] {
        let (mut script, job, ..) = with_two_moves(Window::FULL);
        script.report(1, 1, said(&job, both[0].0, both[0].1));
        let commands = script.report(2, 1, said(&job, both[1].0, both[1].1));
        assert_eq!(solution(&commands).best_move, Some(best), "the other proves no lower bound");
    }
}

#[test]
fn a_line_that_does_not_begin_with_the_best_move_is_left_out() {
    let value = Oracle::default().value(nine_empties());
    let (mut script, job, best, other) = with_two_moves(Window::at_least(value).unwrap());
    let (best_move, line) = (Some(best), vec![other]);
    let commands = script.report(1, 1, Report { best_move, line, ..truth(&job) });
    let solution = solution(&commands);
    assert_eq!((solution.best_move, &solution.line), (Some(best), &vec![best]));
}

#[test]
fn that_a_bound_has_become_tighter_is_told_at_once_and_once() {
    let value = Oracle::default().value(nine_empties());
    let (mut script, job, best, _) = with_two_moves(Window::FULL);
    let bound = Bound::at_least(value);
    let early = Report { bound, best_move: Some(best), ..empty(&job, 1) };
    let told = |commands: Vec<Command>| -> Vec<Bound> {
        let bounds = commands.into_iter().filter_map(|command| match command {
            Command::Progressed { progress, .. } => Some(progress.bound),
            _ => None,
        });
        bounds.collect()
    };
    assert_eq!(told(script.report(1, 1, early.clone())), [bound]);
    assert_eq!(told(script.report(1, 1, early)), []);
}

#[test]
fn a_line_whose_rest_nobody_finds_is_given_up() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, mut job) = only_job(&script.submit(0, 1, nine_empties()));
    for second in 1..=3 {
        let nothing = Report { line: Vec::new(), ..truth(&job) };
        job = only_job(&script.report(second, 1, nothing)).1;
        assert_eq!(job.position, nine_empties().canonical());
    }
    let commands = script.report(4, 1, Report { line: Vec::new(), ..truth(&job) });
    assert_eq!(solution(&commands).bound.value(), Some(Oracle::default().value(nine_empties())));
}

#[test]
fn an_abandoned_request_takes_the_search_for_its_line_along() {
    let mut script = Script::new(whole());
    let value = Oracle::default().value(nine_empties());
    script.store.0.insert(nine_empties().canonical(), (Bound::exact(value), None));
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.at(1, Event::Abandoned { solve: SolveId(1) });
    assert_eq!(commands, [Command::Cancel { worker: WorkerId(7), job: job.id }]);
}

#[test]
fn bounds_of_the_store_below_a_goal_that_is_split_are_counted_as_reused() {
    let goal = Window::at_least(Score::DRAW).expect("it is not the least score");
    let root = nine_empties().canonical();
    let square = Square::lowest(root.moves()).expect("there are moves");
    let child = root.play(square).expect("it is one").canonical();
    let value = Oracle::default().value(child);
    for (bound, reused) in [(Bound::exact(value), 1), (Bound::UNKNOWN, 0), (loose(value), 0)] {
        let mut script = Script::new(Config { lines: false, leaf_empties: 3, ..whole() });
        script.store.0.insert(child, (bound, None));
        script.join(0, 1, 1);
        let (_, job) = only_job(&script.submit_window(0, 1, root, goal));
        let mut commands = script.report(1, 1, empty(&job, job.node_limit));
        let solution = loop {
            if let Some(solution) = commands.iter().find_map(|command| match command {
                Command::Solved { solution, .. } => Some(solution.clone()),
                _ => None,
            }) {
                break solution;
            }
            let (_, job) = only_job(&commands);
            commands = script.report(2, 1, truth(&job));
        };
        assert_eq!(solution.reused, reused, "{bound}");
    }
}

/// Returns a bound that says little.
fn loose(value: Score) -> Bound {
    Bound::new(Score::MIN.up().min(value), Score::MAX).expect("ordered")
}

#[test]
fn the_line_of_a_bound_is_as_long_as_the_worker_says() {
    let value = Oracle::default().value(nine_empties());
    let window = Window::at_least(value).expect("not the least score");
    let (mut script, job, best, _) = with_two_moves(window);
    let below = job.position.play(best).expect("it is a move");
    let reply = Square::lowest(below.moves()).expect("there is a reply");
    let line = vec![best, reply];
    let (bound, best_move) = (Bound::at_least(value), Some(best));
    let report = Report { bound, best_move, line: line.clone(), ..truth(&job) };
    let commands = script.report(1, 1, report);
    let found = commands.into_iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution.line),
        _ => None,
    });
    assert_eq!(found, Some(line));
}

#[test]
fn what_waits_for_the_job_of_another_request_is_asked_when_that_is_gone() {
    let goal = Window::at_least(Score::DRAW).expect("it is not the least score");
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!(assigned(&script.submit_window(0, 2, nine_empties(), goal)), [], "that answers it");
    let (_, job) = only_job(&script.at(1, Event::Abandoned { solve: SolveId(1) }));
    assert_eq!(job.window, goal);
}
