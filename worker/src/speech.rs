//! What those say that share a search, on its way from the search's threads to the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use outflank_proto::message::FromWorker;
use tokio::sync::mpsc;

/// Room for words. A connection that takes them is seldom behind by a dozen: one with so many before it takes nothing.
const WORDS: usize = 4096;

/// Returns both ends of a way for words.
pub(crate) fn channel() -> (Speaker, Speech) {
    let (words, said) = mpsc::channel(WORDS);
    let is_missing = Arc::new(AtomicBool::new(false));
    (Speaker { words, is_missing: Arc::clone(&is_missing) }, Speech { said, is_missing })
}

/// Where words go in.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    words: mpsc::Sender<FromWorker>,
    is_missing: Arc<AtomicBool>,
}

impl Speaker {
    /// Says something, without waiting: who speaks may hold a lock that the connection needs. If the worker has left,
    /// nobody hears it.
    pub(crate) fn say(&self, word: FromWorker) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.words.try_send(word) {
            self.is_missing.store(true, Ordering::Release);
        }
    }
}

/// Where words come out.
#[derive(Debug)]
pub(crate) struct Speech {
    said: mpsc::Receiver<FromWorker>,
    is_missing: Arc<AtomicBool>,
}

impl Speech {
    /// Waits for the next word; `None` if nobody is left who could say one.
    pub(crate) async fn next(&mut self) -> Option<FromWorker> {
        self.said.recv().await
    }

    /// Returns the next word, if there is one.
    pub(crate) fn next_now(&mut self) -> Option<FromWorker> {
        self.said.try_recv().ok()
    }

    /// Forgets what was said, which was for others over another connection.
    pub(crate) fn clear(&mut self) {
        while self.next_now().is_some() {}
        self.is_missing.store(false, Ordering::Release);
    }

    /// Returns whether there was no room for a word since [`clear`](Self::clear). Somebody may wait for the answer to it
    /// as long as the connection lasts.
    pub(crate) fn is_missing_a_word(&self) -> bool {
        self.is_missing.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use outflank_proto::message::{FromMember, JobId};

    use super::*;

    #[test]
    fn a_word_without_room_is_missing_until_all_are_forgotten() {
        let (speaker, mut speech) = channel();
        let word = |hand| FromWorker::Member(JobId(7), FromMember::Call(hand));
        let count = u32::try_from(WORDS).expect("a small number");
        (0..count).for_each(|hand| speaker.say(word(hand)));
        assert!(!speech.is_missing_a_word());
        speaker.say(word(count));
        assert!(speech.is_missing_a_word());
        assert_eq!(speech.next_now(), Some(word(0)));
        assert!(speech.is_missing_a_word(), "it does not come any more");
        speech.clear();
        assert_eq!((speech.next_now(), speech.is_missing_a_word()), (None, false));
        speaker.say(word(1));
        assert_eq!((speech.next_now(), speech.is_missing_a_word()), (Some(word(1)), false));
    }
}
