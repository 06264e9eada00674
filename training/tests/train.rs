//! A whole training at a tiny scale.

use outflank_engine::evaluation::{File, Weights};
use outflank_kernel::Isa;
use outflank_training::{Plan, Progress, TrainingError, curve, report, train};

fn plan() -> Plan {
    let corrections = vec![400];
    Plan { seed: 1, empties: 15, base: 6000, games: 3000, plies: 4, corrections, selectivity: 20 }
}

fn trained(plan: &Plan, threads: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| train(plan, Isa::detect(), folder.path(), &Progress::hidden()))
        .unwrap()
        .encode()
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let file = trained(&plan(), 1);
    assert!(file == trained(&plan(), 2), "the files differ");
    assert!(file != trained(&Plan { seed: 2, ..plan() }, 2), "the seed has no effect");
    let decoded = File::decode(&file).unwrap();
    assert_eq!(decoded.first_stage(), 3);
    assert_eq!(decoded.stages().len(), 6, "5 to 16 empty squares");
    assert!(decoded.selectivity().unwrap().spread(14, 2, 6) > 1.0);
    assert!(decoded.provenance().contains("stage 6: "), "{}", decoded.provenance());
}

#[test]
fn a_training_goes_on_where_it_was_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let go = || train(&plan(), Isa::detect(), folder.path(), &Progress::hidden());
    let whole = go().unwrap();
    for lost in ["stage-07.fitted", "stage-08.fitted", "stage-08-searched.samples"] {
        std::fs::remove_file(folder.path().join(lost)).unwrap();
    }
    assert!(go().unwrap() == whole, "the file differs after the interruption");
    let points = curve(folder.path(), Isa::detect(), 11, 100, &Progress::hidden()).unwrap();
    assert_eq!(points, [], "there are fewer labels than a curve begins with");
    let error = curve(folder.path(), Isa::detect(), 30, 100, &Progress::hidden()).unwrap_err();
    assert!(matches!(error, TrainingError::Io { .. }), "{error}");
    let other = Plan { seed: 2, ..plan() };
    let error = train(&other, Isa::detect(), folder.path(), &Progress::hidden()).unwrap_err();
    assert!(matches!(error, TrainingError::OtherPlan { .. }), "{error}");
}

#[test]
fn little_training_predicts_better_than_none() {
    let weights =
        Weights::load(&trained(&Plan { empties: 10, selectivity: 0, ..plan() }, 2)).unwrap();
    let accuracy = report(&weights, Isa::detect(), 1, 10, 500, &Progress::hidden()).unwrap();
    assert!(accuracy.positions > 300, "{accuracy}");
    assert!(accuracy.mean_absolute < 16.0, "guessing 0 is 24 discs off on average: {accuracy}");
}

#[test]
fn a_plan_that_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for plan in [Plan { plies: 3, ..plan() }, Plan { empties: 57, ..plan() }] {
        let error = train(&plan, Isa::detect(), folder.path(), &Progress::hidden()).unwrap_err();
        assert!(matches!(error, TrainingError::Plan(_)), "{error}");
    }
}
