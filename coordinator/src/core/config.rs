//! The numbers that steer the core.

use std::time::Duration;

/// How the core sizes, repeats and speculates. `Config::default()` suits a real cluster.
///
/// A *slot* is room for one job: so many of the threads of one worker as jobs get just now. With as many jobs as threads
/// both are the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How long a worker keeps a job, or its place, without a sign of life, and its place without stopping a job that it was
    /// told to stop; 30 s.
    pub lease: Duration,
    /// After this time in which a worker has searched no node of a job somebody else gets it; 5 min.
    pub stalled_after: Duration,
    /// A job predicted to be this small, in nodes, is never split; 10 million, a third of a second.
    pub shortest_job: f64,
    /// A fleet of more threads than this is large; 200. There the smallest jobs grow in proportion to the threads: one core
    /// has to think about each of them, and can hand out only so many in a second. Goals are served as a crowd, however few
    /// they are, each job by up to four threads of a worker. And with more jobs at once than this for few positions, what is
    /// hardly needed is preempted sooner (`preempt_for`).
    pub large_above: usize,
    /// The largest job, in predicted nodes: ten thousand million, about five minutes of one core. Up to this size requests
    /// go out whole while there are enough of them; a goal among many that takes four times as much is split then. For
    /// larger ones see `trial_job`. Where there are more threads than requests it shrinks with the square of the requests for
    /// each thread. A kill costs less: dear bounds from inside a job are stored while it runs.
    pub longest_job: f64,
    /// For so many nodes, and no more than `longest_job`, a goal goes out that is larger than a job, before it is split in
    /// the order in which its worker leaves the moves; a thousand million, half a minute of one core. A longer trial proves
    /// more inside a subtree that only its own worker then knows, and keeps others from what is needed for sure.
    pub trial_job: f64,
    /// Where there are more threads than this for each request, jobs get more threads than one, as many as leave so many jobs
    /// for each request; 128.
    pub slots_of_each: usize,
    /// But they get no more than this, neither there nor where there are few workers; 16.
    pub widest_job: u32,
    /// A fleet is small if all its threads can be put together for no more jobs than this; 8. There a job gets all threads of a
    /// worker, and whatever one worker can search is shared (see `most_sharing`).
    pub small_up_to: usize,
    /// If all threads can be put together for no more jobs than this, workers that have nothing else to do help with what
    /// others search, which is not split then; 16. In a fleet that is not small (see `small_up_to`) that goes for requests
    /// that fit a job; larger ones are cut for all. With 0 nobody helps.
    pub most_sharing: usize,
    /// From so many slots on the value of a position that is split is sought by goals on the position
    /// itself if it is cut into small jobs from the beginning, before that by the value of its eldest child. What
    /// workers believe of their jobs steers what is asked; 9.
    pub goals_from_slots: usize,
    /// Requests are cut into small jobs from the beginning if there are so many slots for each; 8.
    pub slots_per_deep: usize,
    /// The number of jobs for each thread of the fleet into which requests are cut, within `shortest_job` and
    /// `longest_job`, when there are few requests; 16.
    pub jobs_per_thread: f64,
    /// A worker gives a job up after this many times the predicted nodes; 64: predictions are right
    /// within a factor of four two times out of three, and what is given up is lost.
    pub budget_factor: f64,
    /// After this many losses or failures of a job its position is split instead; 3.
    pub retry_limit: u32,
    /// Positions with at most this many empties are rather given a larger budget than split; 12.
    pub leaf_empties: u32,
    /// Whether idle workers try one younger brother before the eldest has failed; yes.
    pub speculation: bool,
    /// A job that is hardly needed any more is stopped if something waits that is needed with at least
    /// this chance; 0.5, and above 1 nothing is stopped. With more than `large_above` jobs at once for few positions a fifth of
    /// this chance suffices.
    pub preempt_for: f64,
    /// After this time jobs of less urgent requests are stopped for what waits; 3 s.
    pub urgent_after: Duration,
    /// After this time a running job may be split if a worker has nothing else to do; 1 s.
    pub split_after: Duration,
    /// The same where what workers believe steers what is asked, which is from `goals_from_slots` slots on; 250 ms.
    pub split_soon: Duration,
    /// After this time a running job that is not split gets a second copy if a worker has nothing else to do; 60 s.
    pub backup_after: Duration,
    /// Whether the answer of an exact value comes with a line to the end of the game, at the cost of a job
    /// now and then; yes.
    pub lines: bool,
    /// The share of the answered jobs of which a second worker solves a claim again, 0 to 1; none. The
    /// command has its own choice.
    pub audit_share: f64,
    /// What the choice of those jobs depends on: a number that no worker can guess; 0.
    pub audit_seed: u64,
    /// The most claims that are remembered because nobody could audit them yet. Of more than that a
    /// random sample of this size is kept, the others are believed; 10,000.
    pub most_owed: usize,
    /// The most bounds that are remembered because workers were told of them, which may excuse them; 1,048,576: some 64 MB.
    /// Those of processes that have left longest ago make room for others.
    pub most_told: usize,
    /// The nodes that must stand behind a bound that a worker has found inside its job, so that those hear of it who work
    /// beside for the same request; 10 million. See `inside_nodes_per_thread`.
    pub inside_nodes: f64,
    /// The nodes, for each thread of the fleet, that must stand behind such a bound besides; 200,000. So hardly more than
    /// 200 of them come in a second, from however many workers.
    pub inside_nodes_per_thread: f64,
    /// A fleet of at most so many slots hears of such bounds within a tick instead of at the next sign of life, and of
    /// cheaper ones (`soon_nodes`, `soon_share`); 16.
    pub soon_slots: usize,
    /// The nodes that must stand behind a bound that is told within a tick; 300,000.
    pub soon_nodes: f64,
    /// The share of what the request has taken so far that must stand behind a bound which is told within a tick; 1/2000.
    /// So a request has some thousands of them, however large it is.
    pub soon_share: f64,
    /// The most nodes that the core spends in a row on opinions of its own before the next job goes out, for each thread
    /// that waits for one: on one thread a position with 36 empty squares takes 24 million on the way down to its first
    /// job, one with 60 would take five times as many; 24 million, which are three seconds.
    pub most_thought: f64,
    /// The time between two progress reports of a request; 500 ms.
    pub progress_interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            stalled_after: Duration::from_secs(300),
            shortest_job: 1e7,
            large_above: 200,
            longest_job: 1e10,
            trial_job: 1e9,
            slots_of_each: 128,
            widest_job: 16,
            small_up_to: 8,
            most_sharing: 16,
            goals_from_slots: 9,
            slots_per_deep: 8,
            jobs_per_thread: 16.0,
            budget_factor: 64.0,
            retry_limit: 3,
            leaf_empties: 12,
            speculation: true,
            preempt_for: 0.5,
            urgent_after: Duration::from_secs(3),
            split_after: Duration::from_secs(1),
            split_soon: Duration::from_millis(250),
            backup_after: Duration::from_secs(60),
            lines: true,
            audit_share: 0.0,
            audit_seed: 0,
            most_owed: 10_000,
            most_told: 1 << 20,
            inside_nodes: 1e7,
            inside_nodes_per_thread: 2e5,
            soon_slots: 16,
            soon_nodes: 3e5,
            soon_share: 5e-4,
            most_thought: 2.4e7,
            progress_interval: Duration::from_millis(500),
        }
    }
}
