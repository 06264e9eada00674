"use strict";

const EVERY = 2000; // Milliseconds between two looks.
const PATIENCE = 10000; // Milliseconds after which an answer is not waited for any more: a machine that is gone says nothing.
const SHOWN = 500; // Rows of workers; the JSON has all.
const QUIET = 15; // Seconds without a sign of life after which a worker is shown faintly.

let seen = "the page was opened";

const at = (id) => document.getElementById(id);
const grouped = (number) => Math.round(number).toLocaleString("en");

function short(number) {
  const units = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const unit = units.find(([size]) => number >= size);
  return unit ? `${(number / unit[0]).toFixed(1)} ${unit[1]}` : number.toFixed(0);
}

function span(seconds) {
  if (seconds < 100) return `${Math.floor(seconds)} s`;
  if (seconds < 6000) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 365 * 86400) return `${Math.floor(seconds / 86400)} days`;
  return `${grouped(seconds / 365 / 86400)} years`;
}

// Texts come from workers: they are only ever set as text, never as markup.
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(cells) {
  const made = element("tr");
  for (const cell of cells) {
    made.append(cell instanceof Node ? cell : element("td", cell));
  }
  return made;
}

const number = (text) => element("td", text, "n");
const worrying = (count) => element("td", grouped(count), count > 0 ? "n bad" : "n");

function tiles(cluster) {
  const numbers = [
    ["workers", grouped(cluster.workers.length)],
    ["threads", grouped(cluster.threads)],
    ["nodes a second", short(cluster.nodes_per_second)],
    ["jobs running", grouped(cluster.jobs_running)],
    ["requests open", grouped(cluster.requests)],
    ["proofs stored", grouped(cluster.proofs)],
    ["jobs answered", grouped(cluster.jobs_done)],
    ["nodes searched", short(cluster.nodes)],
  ];
  at("tiles").replaceChildren(...numbers.map(([what, value]) => {
    const tile = element("div", undefined, "tile");
    tile.append(element("b", value), element("span", what));
    return tile;
  }));
}

function worries(cluster) {
  const texts = [
    [cluster.refused, "worker processes were wrong and are refused"],
    [cluster.illegal_claims, "claims of workers made no sense"],
    [cluster.given_up, "jobs were lost or failed too often"],
    [cluster.unaudited, "claims that no other worker could audit"],
    // What is refuted is told when all rows are compared with what is still proved.
    ...cluster.campaigns.map((one) => [one.unreviewed > 0 ? 0 : one.refuted, `hypotheses of ${one.name} are refuted`]),
    ...cluster.campaigns.map((one) => [one.disputed, `rows of ${one.name} have proofs that contradict each other`]),
  ];
  const stopped = cluster.campaigns.filter((one) => one.fault);
  const some = texts.filter(([count]) => count > 0).map(([count, text]) => `${text}: ${grouped(count)}`);
  const all = [...stopped.map((one) => `campaign ${one.name} has stopped: ${one.fault}`), ...some];
  at("worries").hidden = all.length === 0;
  at("worries").replaceChildren(...all.map((text) => element("p", text)));
}

// As in `outflank top`: those first that go on, and last those that are finished; within that by name.
const STATES = ["running", "reviewing", "waiting", "no workers", "stopped", "disputed", "paused", "finished"];

function campaigns(list) {
  at("campaigns").hidden = list.length === 0;
  at("no-campaigns").hidden = list.length > 0;
  const ordered = [...list].sort((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
  at("campaigns").tBodies[0].replaceChildren(...ordered.map((one) => {
    // One that cannot be read has no form, and nobody knows its numbers.
    if (one.form === null) {
      const nothing = element("td", "cannot be read");
      nothing.colSpan = 7;
      return row([one.name, element("td", one.state, "bad"), nothing]);
    }
    const bar = element("progress");
    bar.max = Math.max(one.tasks, 1);
    bar.value = one.tasks - one.open;
    const done = element("td");
    done.append(bar, ` ${((100 * bar.value) / bar.max).toFixed(1)} %`);
    const left = one.open === 0 ? "" : one.seconds_left === null ? "no telling" : span(one.seconds_left);
    const state = element("td", one.state, one.fault ? "bad" : "");
    return row([one.name, state, number(grouped(one.proved)), worrying(one.refuted), number(grouped(one.solved)),
      number(grouped(one.open)), done, number(one.open === 0 ? "" : short(one.nodes_per_second)), number(left)]);
  }));
}

function longest(job) {
  const ends = [job.lower, job.upper].map((end) => (end > 0 ? `+${end}` : `${end}`)).join(" to ");
  return `${span(job.seconds)}, ${job.empties} empties, ${ends}, ${short(job.nodes)} nodes`;
}

// Those first that somebody should look into; the others stay in the order of their names.
const rank = (one) => (one.heard_seconds > QUIET ? 0 : one.jobs_failed > 0 ? 1 : 2);

function workers(list) {
  at("workers").hidden = list.length === 0;
  at("no-workers").hidden = list.length > 0;
  const rows = [...list].sort((one, other) => rank(one) - rank(other)).slice(0, SHOWN).map((one) => {
    const work = one.running.length === 0 ? "idle" : longest(one.running[0]);
    const made = row([one.name, one.isa, number(grouped(one.threads)), number(short(one.nodes_per_second)),
      number(short(one.nodes)), number(grouped(one.jobs_done)), number(grouped(one.jobs_stopped)),
      worrying(one.jobs_failed), number(span(one.joined_seconds)), number(span(one.heard_seconds)),
      one.draining ? `${work}, leaving` : work, one.build]);
    if (one.heard_seconds > QUIET) made.className = "quiet";
    if (one.running.length > 0) made.title = one.running.map((job) => job.position).join("\n");
    return made;
  });
  if (list.length > SHOWN) rows.push(row([`and ${grouped(list.length - SHOWN)} more: overview.json`]));
  at("workers").tBodies[0].replaceChildren(...rows);
}

async function look() {
  try {
    const answer = await fetch("overview.json", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error(await answer.text());
    const cluster = await answer.json();
    at("build").textContent = cluster.build;
    tiles(cluster);
    worries(cluster);
    campaigns(cluster.campaigns);
    workers(cluster.workers);
    seen = new Date().toLocaleTimeString();
    at("state").textContent = `up ${span(cluster.up_seconds)}, seen at ${seen}`;
    at("state").className = "";
  } catch (error) {
    at("state").textContent = `no answer since ${seen}: ${error.message}`;
    at("state").className = "lost";
  }
  setTimeout(look, EVERY);
}

look();
