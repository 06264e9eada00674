//! What `outflank train` writes besides its work folder, and what it finds there.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use crate::harness::run;

#[test]
fn what_is_written_leaves_links_devices_and_neighbours_as_they_are() {
    let home = TempDir::new().expect("a temporary folder");
    let [chart, link, device, neighbour] =
        ["chart.svg", "link.svg", "device", "chart.part"].map(|name| home.path().join(name));
    fs::write(&neighbour, "mine").expect("the folder is writable");
    symlink("chart.svg", &link).expect("a link");
    symlink("/dev/null", &device).expect("a link");
    for path in [&link, &device] {
        let path = path.to_str().expect("text");
        let finished = run(home.path(), &["train", "report", "--sets", "1:1", "--svg", path]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(fs::symlink_metadata(path).expect("it is there").is_symlink(), "{path}");
    }
    assert!(fs::read_to_string(&chart).expect("a chart").starts_with("<svg"), "{chart:?}");
    assert_eq!(fs::read_to_string(&neighbour).expect("it is there"), "mine");
    assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 4, "no part is left");
}

#[test]
fn what_is_written_takes_the_place_of_nothing_in_the_work_folder() {
    let home = TempDir::new().expect("a temporary folder");
    let work = home.path().join("work");
    fs::create_dir(&work).expect("the folder is writable");
    for name in ["plan.txt", "stage-05.fitted"] {
        fs::write(work.join(name), "work of hours\n").expect("the folder is writable");
    }
    symlink("work/stage-05.fitted", home.path().join("link")).expect("a link");
    let all = ["train", "all", "--scale", "0.000001", "--work", "work", "--out"];
    let cases: [(&[&str], &str, &str); 4] = [
        (&all, "work/plan.txt", "--out work/plan.txt: is a file that the training keeps"),
        (&all, "link", "--out link: is a file that the training keeps"),
        (&all, "work/../work/later.samples", "later.samples: is a file that the training keeps"),
        (&["train", "curve", "--work", "work", "--svg"], "link", "--svg link: is a file that"),
    ];
    for (arguments, path, message) in cases {
        run(home.path(), &[arguments, &[path]].concat()).assert_fails(2, message);
    }
    let small = ["train", "all", "--scale", "0.00001", "--work", "other", "--out", "other.weights"];
    run(home.path(), &small).assert_fails(2, "multiplied by --scale 0.00001: ");
    for name in ["plan.txt", "stage-05.fitted"] {
        let kept = fs::read_to_string(work.join(name)).expect("it is there");
        assert_eq!(kept, "work of hours\n", "{name}");
    }
    assert_eq!(fs::read_dir(&work).expect("a folder").count(), 2);
}

#[test]
fn a_damaged_part_of_a_work_folder_is_named_and_is_no_internal_failure() {
    let home = TempDir::new().expect("a temporary folder");
    let work = home.path().join("work");
    fs::create_dir(&work).expect("the folder is writable");
    for stage in 0..16 {
        let name = format!("stage-{stage:02}-searched.samples");
        fs::write(work.join(name), "no samples").expect("the folder is writable");
    }
    let damaged = run(home.path(), &["train", "curve", "--work", "work"]);
    damaged.assert_fails(2, "-searched.samples is damaged: expected ");
}
