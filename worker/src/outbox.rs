//! Reports that the coordinator has not acknowledged yet.

use outflank_proto::message::{JobId, Report};

/// The most reports that wait for an acknowledgement before the worker doubts its coordinator.
const MOST_REPORTS: usize = 4096;

/// The reports on their way, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    reports: Vec<Report>,
    /// How many were acknowledged so far.
    acknowledged: u64,
}

impl Outbox {
    /// Keeps a report until it is acknowledged.
    pub(crate) fn keep(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Forgets the oldest report of `job`: it is safe. Repeated acknowledgements are harmless.
    pub(crate) fn acknowledge(&mut self, job: JobId) {
        if let Some(index) = self.reports.iter().position(|report| report.job == job) {
            self.reports.remove(index);
            self.acknowledged += 1;
        }
    }

    /// Returns how many reports were acknowledged so far.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Returns the reports to be sent again on a new connection.
    pub(crate) fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Returns whether the coordinator has stopped acknowledging.
    pub(crate) fn is_too_full(&self) -> bool {
        self.reports.len() > MOST_REPORTS
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Position};

    use super::*;

    /// Returns the report of a job that took so many nodes.
    fn report(job: u64, nodes: u64) -> Report {
        let (position, bound, best_move) = (Position::START, Bound::UNKNOWN, None);
        let (line, children, order) = (Vec::new(), Vec::new(), Vec::new());
        let (millis, finished, failed, era) = (0, false, false, 0);
        Report {
            job: JobId(job),
            position,
            bound,
            best_move,
            line,
            children,
            order,
            nodes,
            millis,
            finished,
            failed,
            era,
        }
    }

    /// A job that is given again reports again, and the later report may be of more.
    #[test]
    fn an_acknowledgement_is_of_the_oldest_report_of_its_job() {
        let mut outbox = Outbox::default();
        let reports = [report(1, 10), report(2, 20), report(1, 11)];
        reports.iter().for_each(|report| outbox.keep(report.clone()));
        assert_eq!(outbox.reports(), reports);
        outbox.acknowledge(JobId(1));
        assert_eq!(outbox.reports(), [report(2, 20), report(1, 11)]);
        outbox.acknowledge(JobId(1));
        outbox.acknowledge(JobId(1)); // Once more, which is harmless.
        assert_eq!((outbox.reports(), outbox.acknowledged()), (&[report(2, 20)][..], 2));
    }
}
