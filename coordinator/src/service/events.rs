//! The queue in front of the core: events with the time at which they happened.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use super::Shared;
use crate::core::{Event, Millis};

/// The length of the queue. When it is full, connections wait before they read on.
const QUEUE: usize = 4096;

/// What the actor thread receives.
#[derive(Debug)]
pub(super) enum Input {
    /// Something happened.
    Event(Millis, Event),
    /// Nothing more will come.
    Close,
}

/// The way to the core.
#[derive(Debug)]
pub(super) struct Events {
    start: Instant,
    inputs: mpsc::Sender<Input>,
}

/// Returns both ends of the queue.
pub(super) fn channel() -> (Events, mpsc::Receiver<Input>) {
    let (inputs, receiver) = mpsc::channel(QUEUE);
    (Events { start: Instant::now(), inputs }, receiver)
}

impl Events {
    fn now(&self) -> Millis {
        Millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Hands `event` to the core, waiting while the queue is full.
    ///
    /// A core that has stopped takes no events; whoever sends learns of that by the service's failure,
    /// not here.
    pub(super) async fn send(&self, event: Event) {
        if let Ok(place) = self.inputs.reserve().await {
            place.send(Input::Event(self.now(), event));
        }
    }

    /// Hands `event` to the core, or returns it if the queue is full.
    pub(super) fn offer(&self, event: Event) -> Option<Event> {
        match self.inputs.try_reserve() {
            Ok(place) => {
                place.send(Input::Event(self.now(), event));
                None
            }
            Err(_full_or_closed) => Some(event),
        }
    }

    /// Lets the core stop after the events sent so far.
    pub(super) async fn close(&self) {
        if self.inputs.send(Input::Close).await.is_err() {
            tracing::debug!("the core had stopped before it was told to");
        }
    }

    /// Tells the core the time, unless it is busy: the next tick does as well.
    fn tick(&self) {
        if let Err(refused) = self.inputs.try_send(Input::Event(self.now(), Event::Tick)) {
            tracing::debug!(%refused, "tick left out");
        }
    }
}

/// Tells the core the time again and again while there are connections, draining ones included.
pub(super) async fn tick(shared: Arc<Shared>) {
    let mut interval = tokio::time::interval(shared.options.tick.max(Duration::from_millis(1)));
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        shared.events.tick();
    }
}
