//! Tables of the answers without packets: optimum and fluid run, and the runs of a sweep.

use windward_tables::{Table, table};

/// Tables of an optimum.
pub const OPTIMUM: &[&Table] = &[OPTIMUM_FLOWS, OPTIMUM_LINKS, OPTIMUM_APPS, PATHS, FLOW_LINKS, SCHEDULE];

/// Tables of a fluid run.
pub const FLUID: &[&Table] = &[FLUID_FLOWS, FLUID_SERIES, RESTS, LYAPUNOV];

/// Tables of a sweep. Its other tables are those of the engine, with the same leading columns.
pub const SWEEP: &[&Table] = &[RUNS];

table! {
    /// Best rates of the flows.
    schema OPTIMUM_FLOWS: "flows", Totals, "flow", Always;
    columns {
        /// Name of the flow.
        flow: Text fixed [""],
        /// Congestion control law.
        law: Text fixed [""],
        /// Rate on the wire, headers included.
        rate_bps: f64 ["bit/s"],
        /// Goodput at this rate: its payload, less the share that links lose.
        goodput_bps: f64 ["bit/s"],
        /// Price of the flow's path: the sum of the prices of its links. Its unit is that of the derivative of the
        /// utility.
        path_price: f64 [""],
        /// Utility of the flow, as JSON.
        utility: Text fixed [""],
    }
}

table! {
    /// Load and price of the links at the best rates.
    schema OPTIMUM_LINKS: "links", Totals, "link", Always;
    columns {
        /// Name of the link.
        link: Text fixed [""],
        /// Capacity; of a wireless link, the rate that the best schedule gives it.
        capacity_bps: f64 ["bit/s"],
        /// Load: the sum of the rates of the flows on it.
        load_bps: f64 ["bit/s"],
        /// Price: the multiplier of the link's constraint, zero if the link is not full.
        price: f64 [""],
    }
}

table! {
    /// Applications as loads, with mean completion times by processor sharing: without slow start, handshakes, timers
    /// and losses.
    schema OPTIMUM_APPS: "apps", Totals, "app", IfAny;
    columns {
        /// Name of the application.
        app: Text fixed [""],
        /// Requests per second; of a closed loop by mean value analysis.
        requests_per_s: f64 ["1/s"],
        /// Mean rate of the requests on the wire.
        request_bps: f64 ["bit/s"],
        /// Mean rate of the responses on the wire.
        response_bps: f64 ["bit/s"],
        /// Link of the longest service time on the responses' route; empty if the route has shared media.
        bottleneck: Text fixed [""],
        /// Load of applications on the bottleneck, divided by the capacity left to them and its greedy flows.
        load: f64 [""],
        /// Mean completion time of a response of mean size, requests and round trip included; infinite for an unstable
        /// load, NaN over shared media.
        completion_s: f64 ["s"],
        /// Completion time divided by that on the empty path: round trip, service and transmission.
        slowdown: f64 [""],
    }
}

table! {
    /// Paths that flows use with free routing.
    schema PATHS: "paths", Parts, "flow", IfAny;
    columns {
        /// Name of the flow.
        flow: Text fixed [""],
        /// Nodes of the path.
        path: Text fixed [""],
        /// Number of its links.
        hops: i64 fixed ["links"],
        /// Rate on the path.
        rate_bps: f64 ["bit/s"],
        /// Rate on the path divided by that of the flow.
        share: f64 [""],
        /// Price of the path.
        price: f64 [""],
    }
}

table! {
    /// Links that flows use with free routing.
    schema FLOW_LINKS: "flow_links", Parts, "flow", IfAny;
    columns {
        /// Name of the flow.
        flow: Text fixed [""],
        /// Name of the link.
        link: Text fixed [""],
        /// Rate of the flow on the link.
        rate_bps: f64 ["bit/s"],
        /// Rate on the link divided by that of the flow.
        share: f64 [""],
    }
}

table! {
    /// Schedule of wireless links with free routing: sets of links that are active together.
    schema SCHEDULE: "schedule", Parts, "links", IfAny;
    columns {
        /// Names of the links.
        links: Text fixed [""],
        /// Share of the time in which exactly these links are active.
        share: f64 [""],
    }
}

table! {
    /// Final state of the flows of a fluid run.
    schema FLUID_FLOWS: "flows", Totals, "flow", Always;
    columns {
        /// Name of the flow.
        flow: Text fixed [""],
        /// Name of the `[[flow]]` entry that made the flow.
        group: Text fixed [""],
        /// Congestion control law.
        law: Text fixed [""],
        /// Window at the end.
        cwnd: f64 ["packets"],
        /// Rate on the wire at the end.
        rate_bps: f64 ["bit/s"],
        /// Goodput at this rate.
        goodput_bps: f64 ["bit/s"],
        /// Queueing delay on the flow's path at the end.
        queue_delay_ms: f64 ["ms"],
        /// Goodput at the optimum that the laws maximise; NaN if there is none.
        optimum_bps: f64 ["bit/s"],
    }
}

table! {
    /// Samples of the flows of a fluid run, one row per flow and sampling time.
    schema FLUID_SERIES: "flow_series", Series, "flow", Always;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Name of the flow.
        flow: Text fixed [""],
        /// Window.
        cwnd: f64 ["packets"],
        /// Rate on the wire.
        rate_bps: f64 ["bit/s"],
        /// Goodput at this rate.
        goodput_bps: f64 ["bit/s"],
        /// Queueing delay on the flow's path.
        queue_delay_ms: f64 ["ms"],
    }
}

table! {
    /// State at the end of each piece of a fluid run, between two changes of the network: one row per piece and flow.
    schema RESTS: "rests", Series, "flow", Always;
    columns {
        /// Begin of the piece.
        from_s: f64 fixed ["s"],
        /// End of the piece.
        until_s: f64 fixed ["s"],
        /// Name of the flow.
        flow: Text fixed [""],
        /// Window.
        cwnd: f64 ["packets"],
        /// Rate on the wire.
        rate_bps: f64 ["bit/s"],
        /// Goodput at this rate.
        goodput_bps: f64 ["bit/s"],
        /// Queueing delay on the flow's path.
        queue_delay_ms: f64 ["ms"],
        /// Goodput at the optimum that the laws maximise; NaN if there is none.
        optimum_bps: f64 ["bit/s"],
    }
}

table! {
    /// Lyapunov function of a fluid run, for laws that have one.
    schema LYAPUNOV: "lyapunov", Series, "", IfAny;
    columns {
        /// Time since the beginning of the run.
        time_s: f64 fixed ["s"],
        /// Value of the function Y(w).
        lyapunov: f64 [""],
    }
}

table! {
    /// Runs of a sweep, one row per point and seed: figures over all flows and links of the run. After `seed` follow
    /// the fields that are varied, in base units. The engine determines which of the other columns are there. All are
    /// NaN for a run that failed.
    schema RUNS: "runs", Totals, "point", Always;
    columns {
        /// Number of the point.
        point: u64 fixed [""],
        /// Seed; absent for an engine without seeds.
        seed: u64 fixed [""],
        /// Reason why the run failed, or why its emulation is not to be trusted; empty otherwise.
        reason: Text fixed [""],
        /// Goodput of all flows together, over the measured time. Optimum and fluid run: the sum of the goodputs.
        goodput_bps: f64 ["bit/s"],
        /// Jain's fairness index of the flows' goodputs; NaN for fewer than two flows.
        jain: f64 [""],
        /// Lost segments of all flows divided by sent ones.
        loss: f64 [""],
        /// Mean over flows of `mean_rtt_s`.
        mean_rtt_s: f64 ["s"],
        /// Mean over flows of `rtt_p50_s`.
        rtt_p50_s: f64 binned ["s"],
        /// Mean over flows of `rtt_p95_s`.
        rtt_p95_s: f64 binned ["s"],
        /// Mean over flows of `rtt_p99_s`.
        rtt_p99_s: f64 binned ["s"],
        /// Mean over flows of `mean_cwnd`.
        mean_cwnd: f64 ["packets"],
        /// Retransmission timeouts of all flows.
        timeouts: f64 [""],
        /// Largest completion time of the flows with a `size`; NaN unless all completed.
        completion_s: f64 ["s"],
        /// Median of the completion times of all flows that completed; NaN if none did.
        completion_p50_s: f64 ["s"],
        /// 95th percentile of these times.
        completion_p95_s: f64 ["s"],
        /// 99th percentile of these times.
        completion_p99_s: f64 ["s"],
        /// Flows with a `size` that did not complete.
        unfinished: f64 ["flows"],
        /// Largest `utilization` of a link.
        utilization: f64 [""],
        /// Largest `mean_queue_delay_s` of a link.
        wait_s: f64 ["s"],
        /// Largest `queue_delay_p50_s` of a link.
        wait_p50_s: f64 binned ["s"],
        /// Largest `queue_delay_p95_s` of a link.
        wait_p95_s: f64 binned ["s"],
        /// Largest `queue_delay_p99_s` of a link.
        wait_p99_s: f64 binned ["s"],
        /// Largest `completion_p50_s` of an application.
        request_p50_s: f64 ["s"],
        /// Largest `completion_p95_s` of an application.
        request_p95_s: f64 ["s"],
        /// Largest `completion_p99_s` of an application.
        request_p99_s: f64 ["s"],
        /// Largest `delay_p50_s` of a source of datagrams.
        datagram_p50_s: f64 binned ["s"],
        /// Largest `delay_p95_s` of a source of datagrams.
        datagram_p95_s: f64 binned ["s"],
        /// Largest `delay_p99_s` of a source of datagrams.
        datagram_p99_s: f64 binned ["s"],
        /// Lost datagrams of all sources divided by sent ones; NaN if none was sent.
        datagram_loss: f64 [""],
        /// Largest `load_p50_s` of a page.
        load_p50_s: f64 ["s"],
        /// Largest `load_p95_s` of a page.
        load_p95_s: f64 ["s"],
        /// Largest `load_p99_s` of a page.
        load_p99_s: f64 ["s"],
        /// Largest `paint_p50_s` of a page.
        paint_p50_s: f64 ["s"],
        /// Least `mos` of a direction of a call.
        mos: f64 [""],
        /// Largest `startup_s` of a video.
        startup_s: f64 ["s"],
        /// Largest `stall_share` of a video.
        stall_share: f64 [""],
        /// Mean over videos of `mean_bitrate_bps`.
        bitrate_bps: f64 ["bit/s"],
        /// Mean over videos of `mean_qoe`.
        qoe: f64 [""],
        /// Events handled by the simulator.
        events: f64 [""],
        /// Port traversals of packets, lost ones included.
        packet_hops: f64 ["packets"],
        /// Largest queueing delay of a flow's path at the end of a fluid run.
        queue_delay_s: f64 ["s"],
        /// Time after which all windows of a fluid run stay within 1 % of their end; NaN if they do not.
        settled_s: f64 ["s"],
        /// Value of the objective at the optimum.
        value: f64 [""],
        /// Largest residual of the certificate of the optimum.
        residual: f64 [""],
        /// Iterations of the solver.
        iterations: f64 [""],
    }
}
