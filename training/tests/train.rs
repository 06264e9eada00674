//! A whole training at a tiny scale.

use std::sync::{Arc, Mutex};

use outflank_engine::evaluation::{File, Weights};
use outflank_kernel::Isa;
use outflank_training::{
    CostPlan, Plan, Progress, RefitPlan, TrainingError, curve, measure_costs, refit, report, train,
};

fn plan() -> Plan {
    let corrections = vec![400];
    let (plies, trees, selectivity, costs) = (4, 1, 20, 0);
    let (seed, empties, base, games) = (1, 15, 6000, 3000);
    Plan { seed, empties, base, games, plies, corrections, trees, selectivity, costs }
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
    let provenance = decoded.provenance();
    assert!(provenance.contains("\nstage 6: ") && provenance.contains(" of trees"), "{provenance}");
}

#[test]
fn a_training_goes_on_where_it_was_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let go = || train(&plan(), Isa::detect(), folder.path(), &Progress::hidden());
    let whole = go().unwrap();
    let kept = folder.path().join("selectivity.numbers");
    assert!(kept.is_file(), "what was measured of selectivity is kept, too");
    let fits = ["stage-07.fitted", "stage-08.fitted", "stage-07-again.fitted"];
    let rest = ["stage-08-searched.samples", "trees.positions", "stage-07-again-trees.samples"];
    for lost in fits.into_iter().chain(rest) {
        std::fs::remove_file(folder.path().join(lost)).unwrap();
    }
    assert!(go().unwrap() == whole, "the file differs after the interruption");
    let points = curve(folder.path(), Isa::detect(), 11, 100, &Progress::hidden()).unwrap();
    let [all] = points[..] else { panic!("there are too few labels for two points: {points:?}") };
    assert!(all.labels > 2000 && all.with_prior < all.alone, "{all:?}");
    let error = curve(folder.path(), Isa::detect(), 30, 100, &Progress::hidden()).unwrap_err();
    assert!(matches!(error, TrainingError::NotTrained { .. }), "{error}");
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
    for plan in [
        Plan { plies: 3, ..plan() },
        Plan { empties: 9, ..plan() },
        Plan { empties: 57, ..plan() },
        Plan { base: 0, ..plan() },
        Plan { games: 0, ..plan() },
        Plan { trees: usize::MAX, ..plan() },
        // Hours later it would be too late to say so.
        Plan { empties: 12, ..plan() },
        Plan { selectivity: 4, ..plan() },
    ] {
        let error = train(&plan, Isa::detect(), folder.path(), &Progress::hidden()).unwrap_err();
        assert!(matches!(error, TrainingError::Plan(_)), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was begun");
}

/// What had been trained for an hour came to no file then.
#[test]
fn games_and_searches_that_determine_nothing_are_left_out_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let corrections = Vec::new();
    let few = Plan { seed: 2, empties: 14, base: 400, games: 400, corrections, trees: 0, ..plan() };
    let few = Plan { selectivity: 5, costs: 1, ..few };
    let go = || {
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&warnings);
        let progress = Progress::new(move |line: &str| {
            heard.lock().unwrap().extend(line.strip_prefix("warning: ").map(str::to_owned));
        });
        let file = train(&few, Isa::detect(), folder.path(), &progress).unwrap();
        drop(progress);
        (file, Arc::into_inner(warnings).unwrap().into_inner().unwrap())
    };
    let (file, warnings) = go();
    assert!(file.selectivity().is_none() && file.costs().is_none());
    assert_eq!(file.stages().len(), 5, "5 to 14 empty squares");
    let expected = ["selectivity 5, expected more: ", "costs 1, expected more: "];
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.starts_with(expected), "{warning}");
    }
    assert!(go() == (file, warnings), "the same command comes to the same end");

    let (known, work) = (embedded().selectivity().unwrap().clone(), folder.path().join("again"));
    let first = first_fit_of(14).with_selectivity(known.clone());
    let plan = RefitPlan { seed: 2, trees: 1, plies: 4, selectivity: 5 };
    let second = refit(&first, &plan, Isa::detect(), &work, &Progress::hidden()).unwrap();
    assert!(second.selectivity() == Some(&known), "what was known before stays");
}

/// Weights of up to 12 empty squares, fitted once.
fn first_fit() -> File {
    first_fit_of(12)
}

/// Weights of up to `empties` empty squares, fitted once.
fn first_fit_of(empties: u32) -> File {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { empties, trees: 0, selectivity: 0, ..plan() };
    train(&plan, Isa::detect(), folder.path(), &Progress::hidden()).unwrap()
}

#[test]
fn existing_weights_are_fitted_again_the_same_on_any_number_of_threads() {
    let first = first_fit();
    let plan = RefitPlan { seed: 1, trees: 1, plies: 4, selectivity: 0 };
    let folder = tempfile::tempdir().unwrap();
    let again = |threads: usize, part: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (work, progress) = (folder.path().join(part), Progress::hidden());
        pool.install(|| refit(&first, &plan, Isa::detect(), &work, &progress)).unwrap()
    };
    let second = again(1, "one");
    assert!(second == again(3, "three"), "the files differ");
    assert!(second == again(1, "one"), "what is finished is taken as it is");
    assert_eq!(second.stages().len(), first.stages().len());
    let changed: Vec<_> =
        first.stages().iter().zip(second.stages()).map(|(one, two)| one != two).collect();
    assert_eq!(changed, [false, false, true, true], "5-6, 7-8, 9-10, 11-12 empty squares");
    assert!(second.provenance().starts_with(first.provenance()), "{}", second.provenance());
    let facts = format!("second fit of weights {:016x}", first.id());
    assert!(second.provenance().contains(&facts), "{}", second.provenance());
}

#[test]
fn a_second_fit_that_makes_no_sense_is_refused() {
    let first = first_fit();
    let folder = tempfile::tempdir().unwrap();
    let go = |file: &File, plan: RefitPlan| {
        refit(file, &plan, Isa::detect(), folder.path(), &Progress::hidden()).unwrap_err()
    };
    let plan = RefitPlan { seed: 1, trees: 1, plies: 4, selectivity: 0 };
    let without_effect = RefitPlan { selectivity: 20, ..plan };
    for plan in [RefitPlan { trees: 0, ..plan }, RefitPlan { plies: 3, ..plan }, without_effect] {
        let error = go(&first, plan);
        assert!(matches!(error, TrainingError::Plan(_)), "{error}");
    }
    let late = File::new(6, first.stages()[3..].to_vec(), String::new(), None).unwrap();
    let error = go(&late, plan).to_string();
    assert_eq!(error, "weights from 11 empty squares on, expected from 9 or fewer");
    std::fs::write(folder.path().join("plan.txt"), "seed 7\n").unwrap();
    let error = go(&first, plan);
    assert!(matches!(error, TrainingError::OtherPlan { .. }), "{error}");
}

/// The file of the weights that are part of the program.
fn embedded() -> File {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/data/weights.bin");
    File::decode(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn costs_are_measured_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let plan = CostPlan { seed: 1, searches: 2 };
    let go = |threads: usize, part: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (work, progress) = (folder.path().join(part), Progress::hidden());
        pool.install(|| measure_costs(embedded(), &plan, Isa::detect(), &work, &progress)).unwrap()
    };
    let measured = go(1, "one");
    assert!(measured == go(2, "two"), "the files differ");
    assert!(measured == go(1, "one"), "what is finished is taken as it is");
    assert_eq!(measured.stages(), embedded().stages());
    assert_ne!(measured.id(), embedded().id());
    assert!(measured.provenance().contains("costs"), "{}", measured.provenance());
    let weights = Weights::new(&measured);
    let costs = weights.costs().unwrap();
    let (few, many) = (costs.prospect(12, 2, 0), costs.prospect(12, 10, 0));
    assert!(few.cost < many.cost, "more replies take more nodes: {few:?}, {many:?}");
    let (low, high) = (costs.prospect(12, 5, -20 * 32), costs.prospect(12, 5, 20 * 32));
    assert!(
        low.chance < 0.5 && high.chance > 0.5,
        "what is far above is proved: {low:?}, {high:?}"
    );
    assert!(costs.mean(10) < costs.mean(16), "larger trees take more nodes");
}

/// What was measured of shallow and deep searches steers the searches whose costs are measured.
#[test]
fn costs_by_another_selectivity_do_not_go_on_in_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let plan = CostPlan { seed: 1, searches: 1 };
    let go =
        |file: File| measure_costs(file, &plan, Isa::detect(), folder.path(), &Progress::hidden());
    go(embedded()).unwrap();
    let mut selectivity = embedded().selectivity().unwrap().clone();
    selectivity.quantiles[0] += 0.5;
    let error = go(embedded().with_selectivity(selectivity)).unwrap_err();
    assert!(matches!(error, TrainingError::OtherPlan { .. }), "{error}");
}

#[test]
fn costs_of_no_search_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = CostPlan { seed: 1, searches: 0 };
    let progress = Progress::hidden();
    let error = measure_costs(embedded(), &plan, Isa::detect(), folder.path(), &progress);
    assert!(matches!(error, Err(TrainingError::Plan(_))), "{error:?}");
}
