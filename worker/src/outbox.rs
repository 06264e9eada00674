//! Reports that the coordinator has not acknowledged yet.

use outflank_proto::message::Report;

/// The most reports that wait for an acknowledgement before the worker doubts its coordinator.
const MOST_REPORTS: usize = 4096;

/// The reports on their way, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    reports: Vec<Report>,
}

impl Outbox {
    /// Keeps a report until it is acknowledged.
    pub(crate) fn keep(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Forgets the oldest report of `job`: it is safe. Repeated acknowledgements are harmless.
    pub(crate) fn acknowledge(&mut self, job: u64) {
        if let Some(index) = self.reports.iter().position(|report| report.job == job) {
            self.reports.remove(index);
        }
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
