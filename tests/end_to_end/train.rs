//! What `outflank train` writes besides its work folder.

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
