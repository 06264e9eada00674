//! The messages between client and coordinator.

use outflank_engine::{Bound, Square, Window};

use crate::domain::square;
use crate::invalid::{InvalidField, list, needed, required, within};
use crate::message::{Fetched, Progress, Solution, SolveRequest, SolveUpdate, Source};
use crate::v1;
use crate::v1::solve_update::Update;

impl From<SolveRequest> for v1::SolveRequest {
    fn from(request: SolveRequest) -> Self {
        Self {
            position: Some(request.position.into()),
            window: Some(request.window.into()),
            node_budget: request.node_budget,
        }
    }
}

impl TryFrom<v1::SolveRequest> for SolveRequest {
    type Error = InvalidField;

    fn try_from(wire: v1::SolveRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            position: needed("position", wire.position, "a position")?,
            window: match wire.window {
                Some(window) => within("window", window)?,
                None => Window::FULL,
            },
            node_budget: wire.node_budget,
        })
    }
}

impl From<Progress> for v1::Progress {
    fn from(progress: Progress) -> Self {
        Self {
            bound: Some(progress.bound.into()),
            window: Some(progress.window.into()),
            jobs_open: progress.jobs_open,
            jobs_done: progress.jobs_done,
            reused: progress.reused,
            nodes: progress.nodes,
            predicted_nodes: progress.predicted_nodes,
            workers: progress.workers,
        }
    }
}

impl TryFrom<v1::Progress> for Progress {
    type Error = InvalidField;

    fn try_from(wire: v1::Progress) -> Result<Self, InvalidField> {
        Ok(Self {
            bound: needed("bound", wire.bound, "a bound")?,
            window: needed("window", wire.window, "a window")?,
            jobs_open: wire.jobs_open,
            jobs_done: wire.jobs_done,
            reused: wire.reused,
            nodes: wire.nodes,
            predicted_nodes: wire.predicted_nodes,
            workers: wire.workers,
        })
    }
}

impl From<Source> for v1::Source {
    fn from(source: Source) -> Self {
        match source {
            Source::Store => Self::Store,
            Source::Search => Self::Search,
            Source::Both => Self::Both,
        }
    }
}

fn source(number: i32) -> Result<Source, InvalidField> {
    match v1::Source::try_from(number) {
        Ok(v1::Source::Store) => Ok(Source::Store),
        Ok(v1::Source::Search) => Ok(Source::Search),
        Ok(v1::Source::Both) => Ok(Source::Both),
        Ok(v1::Source::Unspecified) | Err(_) => {
            Err(InvalidField::new("source", &number, "1 (store), 2 (search) or 3 (both)"))
        }
    }
}

impl From<Solution> for v1::Solution {
    fn from(solution: Solution) -> Self {
        Self {
            bound: Some(solution.bound.into()),
            best_move: solution.best_move.map(Square::index),
            line: solution.line.into_iter().map(Square::index).collect(),
            nodes: solution.nodes,
            jobs: solution.jobs,
            reused: solution.reused,
            source: v1::Source::from(solution.source).into(),
            unaudited: solution.unaudited,
        }
    }
}

impl From<Fetched> for v1::FetchResponse {
    fn from(fetched: Fetched) -> Self {
        let bound = (fetched.bound != Bound::UNKNOWN).then(|| fetched.bound.into());
        Self { bound, best_move: fetched.best_move.map(Square::index) }
    }
}

impl TryFrom<v1::FetchResponse> for Fetched {
    type Error = InvalidField;

    fn try_from(wire: v1::FetchResponse) -> Result<Self, InvalidField> {
        let best_move = wire.best_move.map(square).transpose();
        Ok(Self {
            bound: match wire.bound {
                Some(bound) => within("bound", bound)?,
                None => Bound::UNKNOWN,
            },
            best_move: best_move.map_err(|error| error.within("best_move"))?,
        })
    }
}

impl TryFrom<v1::Solution> for Solution {
    type Error = InvalidField;

    fn try_from(wire: v1::Solution) -> Result<Self, InvalidField> {
        let best_move = wire.best_move.map(square).transpose();
        Ok(Self {
            bound: needed("bound", wire.bound, "a bound")?,
            best_move: best_move.map_err(|error| error.within("best_move"))?,
            line: list("line", wire.line, 64, "at most 64 moves", square)?,
            nodes: wire.nodes,
            jobs: wire.jobs,
            reused: wire.reused,
            source: source(wire.source)?,
            unaudited: wire.unaudited,
        })
    }
}

impl From<SolveUpdate> for v1::SolveUpdate {
    fn from(update: SolveUpdate) -> Self {
        let update = match update {
            SolveUpdate::Progress(progress) => Update::Progress(progress.into()),
            SolveUpdate::Solution(solution) => Update::Solution(solution.into()),
            SolveUpdate::Notice(text) => Update::Notice(v1::Notice { text }),
        };
        Self { update: Some(update) }
    }
}

impl TryFrom<v1::SolveUpdate> for SolveUpdate {
    type Error = InvalidField;

    fn try_from(wire: v1::SolveUpdate) -> Result<Self, InvalidField> {
        match required("update", wire.update, "progress, solution or notice")? {
            Update::Progress(progress) => within("progress", progress).map(Self::Progress),
            Update::Solution(solution) => within("solution", solution).map(Self::Solution),
            Update::Notice(v1::Notice { text }) => Ok(Self::Notice(text)),
        }
    }
}
