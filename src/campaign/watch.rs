//! How far campaigns are, while somebody waits for them.

use outflank_proto::campaign::Campaign;

use super::show::all_progress;
use crate::output;
use crate::progress::{Form, bar};

/// Shows how far campaigns are while somebody waits for them.
#[derive(Debug)]
pub(super) struct Watch(Form);

impl Watch {
    pub(super) fn start(quiet: bool) -> Self {
        let template = "{spinner} {pos}/{len} {elapsed} [{bar:20}] {wide_msg}";
        Self(Form::new(quiet, || bar(1, template)))
    }

    pub(super) fn update(&mut self, campaigns: &[Campaign]) {
        let tasks: u64 = campaigns.iter().map(Campaign::tasks).sum();
        let open: u64 = campaigns.iter().map(|campaign| campaign.open).sum();
        if let Form::Bar(bar) = &self.0 {
            bar.set_length(tasks);
            bar.set_position(tasks - open);
        }
        self.say(all_progress(campaigns));
    }

    pub(super) fn lost(&mut self, cause: &str) {
        self.say(format!("trying again: {cause}"));
    }

    fn say(&mut self, text: String) {
        if let Form::Bar(bar) = &self.0 {
            bar.set_message(text);
        } else if self.0.is_line_due() {
            output::note(&text);
        }
    }
}
