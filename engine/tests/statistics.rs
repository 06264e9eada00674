//! What searches count, with the feature `statistics`.

use outflank_engine::{
    Answer, Control, Counts, Engine, Position, Request, Settings, Statistics, notation,
};
use outflank_kernel::Isa;

/// FFO #1, 14 empty squares: there are no selective searches before the proof.
const SMALL: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X;";
/// FFO #24, 19 empty squares.
const LARGE: &str = "--O--O-----OOOX--X-XOXOO--XXXOOOXXXXOOOOXXXOXXOOXXXXXX--XOXX-O-- O;";

fn position(text: &str) -> Position {
    notation::problems("text", text).next().unwrap().unwrap().position
}

fn engine() -> Engine {
    Engine::new(&Settings { isa: Isa::detect(), table_bytes: 16 << 20 }).unwrap()
}

fn search(request: &Request) -> (Answer, Control) {
    let control = Control::default();
    let answer = engine().solve(request, &control);
    (answer, control)
}

/// Calls `check` with what each kind of search has counted at each number of empty squares.
fn each(statistics: &Statistics, mut check: impl FnMut(usize, &Counts)) {
    for (empties, row) in statistics.rows.iter().enumerate() {
        check(empties, &row.exact);
        check(empties, &row.selective);
    }
}

#[test]
fn all_nodes_are_counted_once_and_so_is_what_ended_them() {
    for text in [SMALL, LARGE] {
        let (answer, control) = search(&Request::exact(position(text)));
        let statistics = control.statistics();
        assert_eq!(statistics.total().nodes(), answer.nodes);
        each(&statistics, |empties, counts| match empties {
            0..5 => assert!(counts.ended() <= counts.nodes, "{empties} empties: {counts:#?}"),
            5 => assert_eq!(counts.ended() - counts.own_table, counts.nodes),
            _ => assert_eq!(counts.ended(), counts.nodes, "{empties} empties: {counts:#?}"),
        });
    }
}

#[test]
fn what_belongs_to_a_part_of_the_search_is_counted_there_alone() {
    let (_, control) = search(&Request::exact(position(LARGE)));
    let statistics = control.statistics();
    each(&statistics, |empties, counts| {
        let compared = counts.compared_by_one + counts.compared_by_two + counts.compared_by_three;
        assert!(counts.first_changed <= compared && compared <= counts.nodes);
        assert!(compared == 0 || empties >= 12, "{empties} empties");
        assert!(counts.probably_above <= counts.probes_above);
        assert!(counts.probably_below <= counts.probes_below);
        assert!(counts.probes_above + counts.probes_below <= counts.nodes);
        assert!(counts.probes_above == 0 || empties >= 13, "{empties} empties");
        assert!(counts.not_cut <= counts.moves_of_not_cut);
        assert!(counts.own_table == 0 || (5..=10).contains(&empties), "{empties} empties");
        assert_eq!((counts.splits, counts.moves_kept, counts.moves_taken), (0, 0, 0));
    });
    let total = statistics.total();
    let Counts { probes_above, believed, probably_above, .. } = total.exact;
    assert_eq!((probes_above, believed, probably_above), (0, 0, 0), "proofs believe nothing");
    let Counts { probes_above, believed, probably_above, .. } = total.selective;
    assert!(probes_above > 0 && believed > 0 && probably_above > 0);
    assert!(total.exact.compared_by_two > 0 && total.exact.first_changed > 0);
    assert!(total.exact.cut_by_first > total.exact.cut_by_second);
    assert!(total.exact.cut_by_second > 0 && total.exact.cut_by_later > 0);
    assert!(total.look_ahead_nodes > 0);
}

#[test]
fn a_search_without_selective_ones_counts_exact_nodes_alone() {
    let (answer, control) = search(&Request::exact(position(SMALL)));
    let total = control.statistics().total();
    assert_eq!(total.selective, Counts::default());
    assert_eq!(total.exact.nodes + total.look_ahead_nodes, answer.nodes);
}

#[test]
fn all_threads_are_counted_and_so_is_what_they_share() {
    let request = Request { threads: 3, ..Request::exact(position(LARGE)) };
    let control = Control::default();
    let _taken = engine().rehearse(&request, &control);
    let statistics = control.statistics();
    assert_eq!(statistics.total().nodes(), control.nodes());
    each(&statistics, |empties, counts| {
        assert!(counts.cut_offs() <= counts.ended(), "{empties} empties");
        assert!(counts.ended() <= counts.nodes || empties == 5, "{empties} empties");
        assert!(counts.splits == 0 || empties >= 13, "{empties} empties");
    });
    let total = statistics.total();
    let Counts { splits, moves_kept, moves_taken, cut_at_split, .. } = total.exact;
    assert!(splits > 0 && moves_kept > 0 && moves_taken > 0 && cut_at_split <= splits);
}

#[test]
fn a_search_that_is_stopped_has_counted_all_its_nodes() {
    let request = Request { node_limit: Some(100_000), ..Request::exact(position(LARGE)) };
    let (answer, control) = search(&request);
    assert!(!answer.finished);
    assert_eq!(control.statistics().total().nodes(), answer.nodes);
}
