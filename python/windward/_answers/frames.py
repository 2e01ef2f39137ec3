"""The tables of a run as frames of pandas.

Generated from the schema of the tables by tools/generate_results.py: change the table's declaration, not this file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class Frames(ABC):
    """One property for each table: a row per entity (or sample) and seed."""

    @abstractmethod
    def _frame(self, kind: str) -> pd.DataFrame: ...

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Totals and means of each flow, from the end of the warm-up to the end of the run.

        Columns: `seed`, `flow`, `group`, `law`, `from`, `to`, `goodput_bps` (bit/s), `goodput_pps` (segments/s),
        `delivered_bytes` (bytes), `segments_sent` (segments), `retransmits` (segments), `segments_lost` (segments),
        `recoveries`, `timeouts`, `marked` (segments), `mean_cwnd` (packets), `mean_window_rate_pps` (packets/s),
        `mean_rtt_s` (s), `min_rtt_s` (s), `max_rtt_s` (s), `rtt_p50_s` (s), `rtt_p95_s` (s), `rtt_p99_s` (s),
        `completion_s` (s), `unfinished` (flows), `loss`.
        """
        return self._frame("flows")

    @cached_property
    def links(self) -> pd.DataFrame:
        """Totals and means of each one-way link, from the end of the warm-up to the end of the run.

        Wired links, stations of cells and links of wireless networks each have a row.

        Columns: `seed`, `link`, `from`, `to`, `rate_bps` (bit/s), `delay_s` (s), `packets` (packets), `bytes` (bytes),
        `dropped` (packets), `marked` (packets), `lost` (packets), `utilization`, `mean_backlog` (packets),
        `max_backlog` (packets), `mean_queue_delay_s` (s), `queue_delay_p50_s` (s), `queue_delay_p95_s` (s),
        `queue_delay_p99_s` (s), `loss`, `throughput_bps` (bit/s).
        """
        return self._frame("links")

    @cached_property
    def stations(self) -> pd.DataFrame:
        """Stations of cells: the columns that other links lack.

        A station's other totals are in `links`.

        Columns: `seed`, `link`, `airtime`, `mean_snr`, `offered_bps` (bit/s), `served_bps` (bit/s), `errors`
        (transmissions).
        """
        return self._frame("stations")

    @cached_property
    def ran_links(self) -> pd.DataFrame:
        """Radio links of LTE and NR cells: the columns that other links lack.

        A link is one direction of a station.

        Columns: `seed`, `link`, `prb_share`, `blocks` (blocks), `mean_cqi`, `mean_mcs`, `mean_snr_db` (dB), `olla_db`
        (dB), `bler`, `harq_retransmissions` (blocks), `harq_lost` (blocks), `rlc_retransmissions` (parts), `gaps`
        (gaps), `rlc_failures` (parts), `discarded` (packets), `mean_radio_delay_s` (s), `radio_delay_p50_s` (s),
        `radio_delay_p95_s` (s), `radio_delay_p99_s` (s), `scheduling_requests`, `mean_grant_wait_s` (s).
        """
        return self._frame("ran_links")

    @cached_property
    def ran_mcs(self) -> pd.DataFrame:
        """MCS of LTE and NR cells: first transmissions of each MCS in use, by link.

        Columns: `seed`, `link`, `mcs`, `blocks` (blocks), `failures` (blocks).
        """
        return self._frame("ran_mcs")

    @cached_property
    def ran_delays(self) -> pd.DataFrame:
        """Delay of the radio links of LTE and NR cells by cause.

        Of the delivered packets, from their arrival at the queue to their delivery; the means of all causes add up to
        the mean delay.

        Columns: `seed`, `link`, `packets` (packets), `mean_delay_s` (s), `delay_p50_s` (s), `delay_p95_s` (s),
        `delay_p99_s` (s), `queue_s` (s), `grants_s` (s), `drx_s` (s), `transmission_s` (s), `harq_s` (s), `rlc_s` (s),
        `handover_s` (s), `decoding_s` (s).
        """
        return self._frame("ran_delays")

    @cached_property
    def ran_bearers(self) -> pd.DataFrame:
        """Bearers of LTE and NR cells, of stations with more than one.

        A link is one direction of a station; its other tables have the sums of all bearers.

        Columns: `seed`, `link`, `qi`, `packets` (packets), `mean_delay_s` (s), `delay_p50_s` (s), `delay_p95_s` (s),
        `delay_p99_s` (s), `budget_s` (s), `late`, `dropped` (packets), `lost` (packets).
        """
        return self._frame("ran_bearers")

    @cached_property
    def ran_mobility(self) -> pd.DataFrame:
        """Stations of LTE and NR cells that have a place: handovers and failures.

        A link is the downlink of a station.

        Columns: `seed`, `link`, `handovers`, `failures`, `interrupted_s` (s), `forwarded` (packets).
        """
        return self._frame("ran_mobility")

    @cached_property
    def ran_handovers(self) -> pd.DataFrame:
        """Serving sites of the stations of LTE and NR cells over time.

        A row for the first site of a station that has a place, and one for each handover or failure, from the beginning
        of the run.

        Columns: `seed`, `link`, `time_s` (s), `from`, `to`, `interrupted_s` (s), `forwarded` (packets), `failure`.
        """
        return self._frame("ran_handovers")

    @cached_property
    def wifi_stations(self) -> pd.DataFrame:
        """Stations of 802.11 networks: position, frames, air time and queue.

        Columns: `seed`, `node`, `x_m` (m), `y_m` (m), `attempts`, `failures`, `mean_cw` (slots), `rts_frames` (frames),
        `cts_frames` (frames), `data_frames` (frames), `ack_frames` (frames), `broadcast_frames` (frames),
        `garbled_frames` (frames), `sending`, `sensing`, `mean_queue` (packets), `longest_queue` (packets),
        `routing_messages`, `routing_bytes` (bytes).
        """
        return self._frame("wifi_stations")

    @cached_property
    def wifi_links(self) -> pd.DataFrame:
        """Links of 802.11 networks: the columns that other links lack.

        Columns: `seed`, `link`, `attempts`, `data_frames` (frames), `failures`, `successes` (packets), `mean_cw`
        (slots).
        """
        return self._frame("wifi_links")

    @cached_property
    def edca_stations(self) -> pd.DataFrame:
        """Stations of networks of 802.11n, ac and ax: what `wifi_stations` does not have.

        Columns: `seed`, `node`, `background_txops`, `best_effort_txops`, `video_txops`, `voice_txops`,
        `internal_collisions`, `block_ack_frames` (frames), `request_frames` (frames).
        """
        return self._frame("edca_stations")

    @cached_property
    def edca_links(self) -> pd.DataFrame:
        """Links of networks of 802.11n, ac and ax: what `wifi_links` does not have.

        Columns: `seed`, `link`, `mpdus`, `mean_ampdu`, `mean_amsdu`, `mpdu_failures`, `given_up` (packets), `requests`
        (frames), `airtime`, `mean_rate_bps` (bit/s), `mean_ppdu_s` (s).
        """
        return self._frame("edca_links")

    @cached_property
    def wifi_queues(self) -> pd.DataFrame:
        """Queues of networks of 802.11n, ac and ax: one row per link and access category with packets.

        Columns: `seed`, `link`, `category`, `arrived` (packets), `dropped` (packets), `marked` (packets), `sent`
        (packets), `mean_queue` (packets), `longest_queue` (packets), `mean_wait_s` (s), `wait_p50_s` (s), `wait_p95_s`
        (s), `wait_p99_s` (s), `delay_p50_s` (s), `delay_p95_s` (s), `delay_p99_s` (s).
        """
        return self._frame("wifi_queues")

    @cached_property
    def wifi_rates(self) -> pd.DataFrame:
        """Rates of networks of 802.11n, ac and ax: one row per link and rate that it used.

        Columns: `seed`, `link`, `format`, `width_hz` (Hz), `streams`, `mcs`, `guard_s` (s), `rate_bps` (bit/s), `ppdus`
        (frames), `mpdus`, `successes`, `share`, `airtime`.
        """
        return self._frame("wifi_rates")

    @cached_property
    def ampdu_sizes(self) -> pd.DataFrame:
        """Sizes of A-MPDUs in networks of 802.11n, ac and ax: one row per link and size that occurred.

        Columns: `seed`, `link`, `mpdus`, `ppdus` (frames).
        """
        return self._frame("ampdu_sizes")

    @cached_property
    def csma_links(self) -> pd.DataFrame:
        """Links under ideal CSMA: the columns that other links lack.

        Columns: `seed`, `link`, `activations`, `mean_holding_us` (µs).
        """
        return self._frame("csma_links")

    @cached_property
    def slotted_links(self) -> pd.DataFrame:
        """Slotted links under MaxWeight: the columns that other links lack.

        Columns: `seed`, `link`, `active_slots` (slots).
        """
        return self._frame("slotted_links")

    @cached_property
    def background(self) -> pd.DataFrame:
        """Totals of each source of datagrams, from the end of the warm-up to the end of the run.

        Games and pings are sources too.

        Columns: `seed`, `source`, `group`, `from`, `to`, `sent` (datagrams), `lost` (datagrams), `received`
        (datagrams), `marked` (datagrams), `received_bps` (bit/s), `mean_delay_s` (s), `loss`, `delay_p50_s` (s),
        `delay_p95_s` (s), `delay_p99_s` (s), `delay_p999_s` (s), `late_50ms`, `late_100ms`, `longest_gap_s` (s).
        """
        return self._frame("background")

    @cached_property
    def calls(self) -> pd.DataFrame:
        """Speech quality of each direction of a call, from the end of the warm-up to the end of the run.

        Columns: `seed`, `source`, `delay_s` (s), `lost`, `late`, `rating`, `mos`.
        """
        return self._frame("calls")

    @cached_property
    def call_videos(self) -> pd.DataFrame:
        """Video of each direction of a call, from the end of the warm-up to the end of the run.

        Rates are on the wire.

        Columns: `seed`, `source`, `target_bps` (bit/s), `received_bps` (bit/s), `loss`, `delay_p95_s` (s),
        `frame_delay_p50_s` (s), `frame_delay_p95_s` (s), `frame_delay_p99_s` (s), `missed`, `freezes`, `frozen_s` (s).
        """
        return self._frame("call_videos")

    @cached_property
    def games(self) -> pd.DataFrame:
        """Round trips of each game, from the end of the warm-up to the end of the run.

        A round trip is the delay of a datagram of the client and that of the server's next one, without the time
        between the two at the server.

        Columns: `seed`, `source`, `round_trips` (round trips), `mean_rtt_s` (s), `rtt_p50_s` (s), `rtt_p95_s` (s),
        `rtt_p99_s` (s), `rtt_p999_s` (s).
        """
        return self._frame("games")

    @cached_property
    def groups(self) -> pd.DataFrame:
        """Flows of each group together: the flows that one `[[flow]]` entry made.

        Columns: `seed`, `group`, `flows` (flows), `completed` (flows), `unfinished` (flows), `completion_p50_s` (s),
        `completion_p95_s` (s), `completion_p99_s` (s), `rtt_p50_s` (s), `rtt_p95_s` (s), `rtt_p99_s` (s).
        """
        return self._frame("groups")

    @cached_property
    def apps(self) -> pd.DataFrame:
        """Totals of each application, over the requests that arrived after the warm-up.

        Columns: `seed`, `app`, `group`, `law`, `from`, `to`, `requests` (requests), `finished` (requests), `unfinished`
        (requests), `offered_bps` (bit/s), `load`, `mean_active` (requests), `completion_mean_s` (s), `completion_p50_s`
        (s), `completion_p95_s` (s), `completion_p99_s` (s), `slowdown_mean`, `slowdown_p50`, `slowdown_p95`,
        `slowdown_p99`, `late` (requests), `connections` (connections), `retransmits` (segments), `timeouts`.
        """
        return self._frame("apps")

    @cached_property
    def request_classes(self) -> pd.DataFrame:
        """Requests of each application by the size of their responses.

        Columns: `seed`, `app`, `class`, `requests` (requests), `finished` (requests), `unfinished` (requests),
        `completion_p50_s` (s), `completion_p95_s` (s), `completion_p99_s` (s), `slowdown_mean`, `slowdown_p50`,
        `slowdown_p99`.
        """
        return self._frame("request_classes")

    @cached_property
    def requests(self) -> pd.DataFrame:
        """Requests that arrived after the warm-up, those that did not finish included.

        Columns: `seed`, `app`, `number`, `intended_s` (s), `start_s` (s), `first_byte_s` (s), `end_s` (s), `size_bytes`
        (bytes), `connection`, `reused`, `retransmits` (segments), `timeouts`, `completion_s` (s), `slowdown`.
        """
        return self._frame("requests")

    @cached_property
    def flow_windows(self) -> pd.DataFrame:
        """Figures of each flow over the windows of `output`.

        Columns: `seed`, `window`, `flow`, `goodput_bps` (bit/s), `longest_gap_s` (s), `segments_sent` (segments),
        `timeouts`.
        """
        return self._frame("flow_windows")

    @cached_property
    def link_windows(self) -> pd.DataFrame:
        """Figures of each one-way link over the windows of `output`.

        Columns: `seed`, `window`, `link`, `packets` (packets), `lost` (packets), `utilization`, `mean_queue_delay_s`
        (s), `queue_delay_p50_s` (s), `queue_delay_p95_s` (s), `queue_delay_p99_s` (s).
        """
        return self._frame("link_windows")

    @cached_property
    def videos(self) -> pd.DataFrame:
        """Totals of each video, from its first request on, the warm-up included.

        Columns: `seed`, `app`, `chunks` (chunks), `startup_s` (s), `stalls` (stalls), `stalled_s` (s), `stall_share`,
        `mean_bitrate_bps` (bit/s), `switches` (switches), `mean_step_bps` (bit/s), `top_share`, `qoe`, `mean_qoe`.
        """
        return self._frame("videos")

    @cached_property
    def chunks(self) -> pd.DataFrame:
        """Chunks of each video, the one that had not arrived at the end of the run included.

        Columns: `seed`, `app`, `number`, `level`, `bitrate_bps` (bit/s), `size_bytes` (bytes), `asked_s` (s), `end_s`
        (s), `throughput_bps` (bit/s), `expected_bps` (bit/s), `buffer_before_s` (s), `buffer_s` (s), `stall_s` (s).
        """
        return self._frame("chunks")

    @cached_property
    def pages(self) -> pd.DataFrame:
        """Totals of each page, over the visits that started after the warm-up.

        Columns: `seed`, `app`, `visits` (visits), `unfinished` (visits), `first_byte_p50_s` (s), `paint_p50_s` (s),
        `paint_p95_s` (s), `load_mean_s` (s), `load_p50_s` (s), `load_p95_s` (s), `load_p99_s` (s), `connections`
        (connections).
        """
        return self._frame("pages")

    @cached_property
    def visits(self) -> pd.DataFrame:
        """Visits of pages that started after the warm-up.

        Times count from the start of the visit.

        Columns: `seed`, `app`, `visit`, `start_s` (s), `first_byte_s` (s), `paint_s` (s), `load_s` (s), `connections`
        (connections).
        """
        return self._frame("visits")

    @cached_property
    def objects(self) -> pd.DataFrame:
        """Objects of these visits: a waterfall.

        Columns: `seed`, `app`, `visit`, `object`, `parent`, `origin`, `size_bytes` (bytes), `discovered_s` (s),
        `start_s` (s), `first_byte_s` (s), `end_s` (s), `connection`.
        """
        return self._frame("objects")

    @cached_property
    def flow_series(self) -> pd.DataFrame:
        """Samples of every flow, one row per flow and sampling time.

        Columns: `seed`, `time_s` (s), `flow`, `cwnd` (packets), `flight` (packets), `srtt_ms` (ms), `rtt_ms` (ms),
        `goodput_bps` (bit/s), `retransmits` (segments).
        """
        return self._frame("flow_series")

    @cached_property
    def link_series(self) -> pd.DataFrame:
        """Samples of every link, one row per link and sampling time.

        Columns: `seed`, `time_s` (s), `link`, `backlog` (packets), `queue_delay_ms` (ms), `rate_bps` (bit/s), `dropped`
        (packets).
        """
        return self._frame("link_series")

    @cached_property
    def call_video_series(self) -> pd.DataFrame:
        """Samples of the video of each direction of a call, one row per direction and sampling time.

        Columns: `seed`, `time_s` (s), `source`, `target_bps` (bit/s), `received_bps` (bit/s), `frame_delay_s` (s).
        """
        return self._frame("call_video_series")

    @cached_property
    def internals(self) -> pd.DataFrame:
        """Samples of the laws' internal state, if the scenario asks for them.

        Columns: `seed`, `time_s` (s), `flow`, `name`, `value`.
        """
        return self._frame("internals")

    @cached_property
    def backlogs(self) -> pd.DataFrame:
        """Queues of stations that forward by backpressure: one row per station and flow that crossed it.

        Columns: `seed`, `node`, `flow`, `class`, `arrived` (packets), `dropped` (packets), `mean_backlog` (packets),
        `mean_trapped` (packets), `max_backlog` (packets), `last_backlog` (packets).
        """
        return self._frame("backlogs")

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Traffic of stations that forward by backpressure: one row per link and flow that used it.

        Columns: `seed`, `link`, `flow`, `class`, `packets` (packets).
        """
        return self._frame("shares")

    @cached_property
    def backlog_series(self) -> pd.DataFrame:
        """Samples of the queues of stations that forward by backpressure: one row per station, flow and sampling time.

        Columns: `seed`, `time_s` (s), `node`, `flow`, `class`, `backlog` (packets), `idle_s` (s), `threshold`
        (packets).
        """
        return self._frame("backlog_series")

    @cached_property
    def coding(self) -> pd.DataFrame:
        """Counters of the coding layer of each coded flow.

        Columns: `seed`, `flow`, `combinations` (packets), `repairs` (packets), `unmasked` (segments), `received`
        (packets), `innovative` (packets), `requests`, `requested` (packets).
        """
        return self._frame("coding")

    @cached_property
    def blocks(self) -> pd.DataFrame:
        """Decoded blocks of coded flows, after the warm-up.

        Columns: `seed`, `flow`, `block`, `size` (segments), `opened_s` (s), `began_s` (s), `decoded_s` (s), `requests`.
        """
        return self._frame("blocks")

    @cached_property
    def rtt_histograms(self) -> pd.DataFrame:
        """Histograms of the RTT samples of each flow after the warm-up: one row per bucket that is not empty.

        Columns: `seed`, `flow`, `least_s` (s), `count` (samples).
        """
        return self._frame("rtt_histograms")

    @cached_property
    def queue_delay_histograms(self) -> pd.DataFrame:
        """Histograms of the waits at each link after the warm-up: one row per bucket that is not empty.

        Columns: `seed`, `link`, `least_s` (s), `count` (packets).
        """
        return self._frame("queue_delay_histograms")

    @cached_property
    def datagram_histograms(self) -> pd.DataFrame:
        """Histograms of the delays of each source's datagrams after the warm-up: one row per bucket that is not empty.

        Columns: `seed`, `source`, `least_s` (s), `count` (datagrams).
        """
        return self._frame("datagram_histograms")

    @cached_property
    def air(self) -> pd.DataFrame:
        """Frames on the air of wireless networks in the part of the run that the scenario asks for.

        Columns: `seed`, `began_s` (s), `ended_s` (s), `from`, `to`, `kind`, `bytes` (bytes), `received`, `mpdus`,
        `mpdus_received`, `rate_bps` (bit/s), `format`, `width_hz` (Hz), `streams`, `mcs`, `guard_s` (s), `category`.
        """
        return self._frame("air")

    @cached_property
    def air_mpdus(self) -> pd.DataFrame:
        """MPDUs of the frames of `air` with an access category: one row per MPDU, in the order of transmission.

        Columns: `seed`, `frame`, `number`, `attempt`, `bytes` (bytes), `received`.
        """
        return self._frame("air_mpdus")

    @cached_property
    def ran_blocks(self) -> pd.DataFrame:
        """Transport blocks of LTE and NR cells in the part of the run that the scenario asks for.

        Columns: `seed`, `began_s` (s), `ended_s` (s), `link`, `site`, `first_prb`, `prbs`, `mcs`, `layers`, `bits`
        (bit), `attempt`, `received`.
        """
        return self._frame("ran_blocks")
