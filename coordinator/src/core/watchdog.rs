//! The watchdog: finds jobs that do not stop, and jobs that do not go on, although the hearts of their workers beat.
//!
//! A lease that is renewed with every heartbeat would last for ever, and what waits for it would, too: the answer of a
//! request for its line, all answers for a judge, a small fleet for its lead. So a job in which nothing is searched any
//! more, by its helpers neither, goes to somebody else, and a worker that does not stop what it was told to stop is as
//! good as lost.

use super::fleet::{Target, after};
use super::message::{Command, JobId, Millis, WorkerId};
use super::{Core, Turn};

impl Core {
    /// Tells a worker to stop a job.
    pub(super) fn stop_job(&mut self, turn: &mut Turn<'_>, worker: WorkerId, job: JobId) {
        if let Some(lease) = self.fleet.lease_mut(worker, job) {
            lease.stopped.get_or_insert(turn.now);
            turn.commands.push(Command::Cancel { worker, job });
        }
    }

    /// Returns whether `worker` still has a job that it was told to stop as long ago as a lease lasts.
    fn does_not_stop(&self, now: Millis, worker: WorkerId, job: JobId) -> bool {
        let stopped = self.fleet.lease(worker, job).and_then(|lease| lease.stopped);
        stopped.is_some_and(|stopped| after(stopped, self.config.lease) <= now)
    }

    /// Closes the connection of a worker, which has just named these jobs, if it does not stop one of them; returns whether
    /// it does. What else it has goes to others. It will come back, perhaps with threads to spare.
    pub(super) fn disconnect_if_hung(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        jobs: &[(JobId, u64)],
    ) -> bool {
        let Some(&(job, _)) = jobs.iter().find(|job| self.does_not_stop(turn.now, worker, job.0))
        else {
            return false;
        };
        let seconds = self.config.lease.as_secs_f64();
        let reason = format!("job {} was to stop {seconds} s ago and still runs", job.0);
        turn.commands.push(Command::Disconnect { worker, reason });
        if let Some(Target::Question(key)) = self.fleet.lease(worker, job).map(|lease| lease.target)
            && let Some(question) = self.questions.get_mut(&key)
        {
            // It was to be split: to ask it again as a whole would only take as long.
            question.must_split = true;
        }
        self.left(turn, worker);
        true
    }

    /// Takes note that `worker` has searched so many nodes more of a job. Where there were none for too long somebody else gets
    /// the job, as if it were lost, and this worker is to stop it.
    pub(super) fn note_progress(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        job: JobId,
        more: u64,
    ) {
        let stalled_after = self.config.stalled_after;
        let Some(lease) = self.fleet.lease_mut(worker, job) else { return };
        if more > 0 {
            lease.searched = turn.now;
        }
        if lease.target == Target::Help {
            if more > 0 {
                self.note_help(turn.now, worker, job);
            }
            return; // Who helps waits for something to do, perhaps for long.
        }
        if lease.stopped.is_none() && after(lease.searched, stalled_after) <= turn.now {
            let target = std::mem::replace(&mut lease.target, Target::Nothing);
            self.stop_job(turn, worker, job);
            self.lost(turn, target, worker);
        }
    }
}
