//! An index that is made from many ranges of the log is the one that is made from the log as it comes.

use std::fs;
use std::sync::Arc;

use outflank_engine::{Bound, Score};
use proptest::prelude::*;

use crate::store::claim::{Claim, Source};
use crate::store::disk::SystemDisk;
use crate::store::frame::Frame;
use crate::store::index::MemoryIndex;
use crate::store::layout::Layout;
use crate::store::log::Log;
use crate::store::origins::Origins;
use crate::store::pace::Told;
use crate::store::rebuild::{Whole, fill};
use crate::store::replay::Replay;
use crate::store::scan::{self, Place};
use crate::store::tests::{all, scattered as position};
use crate::store::{Method, Origin};

fn claim(number: u64, lower: i32, upper: i32, origin: u32) -> Claim {
    let score = |discs| Score::new(2 * discs).unwrap();
    let bound = Bound::new(score(lower), score(upper)).unwrap();
    let source = Source { method: Method::Search, origin };
    let nodes = number + u64::from(origin);
    Claim { position: position(number), bound, best_move: None, nodes, source }
}

/// What one frame says: claims (position, lower bound, width) and positions that are taken back.
type Said = (Vec<(u64, i32, i32)>, Vec<u64>);

fn frames() -> impl Strategy<Value = Vec<Said>> {
    let claims = proptest::collection::vec((0_u64..60, -5_i32..5, 0_i32..4), 0..20);
    let withdrawn = proptest::collection::vec(0_u64..60, 0..4);
    proptest::collection::vec((claims, withdrawn), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn ranges_make_no_difference(said in frames(), most in 1_u64..200) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        fs::create_dir(layout.log()).unwrap();
        let start = Place { offset: 0, ..Place::START };
        let mut log = Log::open(Arc::new(SystemDisk), &layout.log(), start, 300).unwrap();
        for (origin, (claims, withdrawn)) in (0..).zip(said) {
            let mut frame = Frame::default();
            frame.origins.push((origin, Origin { run: origin.to_string(), ..Origin::default() }));
            frame.withdrawn.extend(withdrawn.into_iter().map(position));
            let claims = claims.into_iter();
            frame.claims.extend(
                claims.map(|(number, lower, width)| claim(number, lower, lower + width, origin)));
            log.append(&frame.body()).unwrap();
        }
        let straight = MemoryIndex::default();
        let path = layout.log();
        let mut replay = Replay::new(&straight, &path, Origins::default());
        let (end, _) = scan::read_to_end(&path, Place::START, None, &mut |frame| replay.apply(frame)).unwrap();
        replay.flush().unwrap();
        let parted = MemoryIndex::default();
        let whole = fill(&parted, &path, &layout, None, most, Told::default()).unwrap();
        prop_assert_eq!(all(&parted), all(&straight));
        let Whole { origins, end: other_end, clashes, opened } = whole;
        prop_assert_eq!(origins.count(), replay.origins.count());
        prop_assert_eq!((other_end, opened.replayed), (end, replay.frames));
        prop_assert_eq!(opened.records, replay.added - replay.removed);
        prop_assert_eq!(clashes, replay.gathered.clashes);
        prop_assert!(!layout.parts().exists());
    }
}
