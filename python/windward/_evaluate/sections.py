"""Sections of RFC 9743 that ask something of a congestion control, each as a question in one sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of RFC 9743."""

    #: Its number.
    key: str
    title: str
    question: str
    #: Reason for which no network answers it; empty for a section with measures.
    not_modelled: str = ""


SECTIONS = (
    Section(
        key="5.1.1",
        title="Protection against congestion collapse",
        question="Does the sender back off to a packet now and then while nearly everything is lost?",
    ),
    Section(
        key="5.1.2",
        title="Protection against bufferbloat",
        question="How long is the queue that one flow keeps in a deep drop-tail buffer?",
    ),
    Section(
        key="5.1.3",
        title="Protection against high packet loss",
        question="What share of the packets is lost when several flows share a short buffer?",
    ),
    Section(
        key="5.1.4",
        title="Fairness within the algorithm",
        question="Do flows of the law share a bottleneck equally, also after late starts and over unequal round trips?",
    ),
    Section(
        key="5.1.5",
        title="Short flows",
        question="Do short and long flows of the law hurt each other, and does the start overrun the buffer?",
    ),
    Section(
        key="5.2.1",
        title="Existing general-purpose congestion control",
        question="What do flows of standard laws keep of a bottleneck that they share with the law?",
    ),
    Section(
        key="5.2.2",
        title="Real-time congestion control",
        question="What do a call's video rate and frame delay become beside the law?",
    ),
    Section(
        key="5.2.3",
        title="Short and long flows of other laws",
        question="What do short flows of CUBIC suffer from the law, and a long one from short flows of the law?",
    ),
    Section(
        key="5.3.1",
        title="Differences with congestion control principles",
        question="Which deviations from RFC 2914 and RFC 7141 does the law have?",
        not_modelled="a matter of its specification, which no network measures",
    ),
    Section(
        key="5.3.2",
        title="Incremental deployment",
        question="Does the law work with the equipment of the present Internet?",
        not_modelled="middleboxes are not modelled; 5.2.1 measures the law beside deployed ones",
    ),
    Section(
        key="6.1",
        title="Paths with tail-drop queues",
        question="Does the law fill a tail-drop bottleneck whose buffer is short or deep?",
    ),
    Section(
        key="6.2",
        title="Tunnel behavior",
        question="Does the law depend on marks that a tunnel may hide?",
        not_modelled="tunnels are not modelled",
    ),
    Section(
        key="6.3",
        title="Wired paths",
        question="Does the law fill wired paths of low and high rate, near and far?",
    ),
    Section(
        key="6.4",
        title="Wireless paths",
        question="Does the law fill paths with random loss, Wi-Fi and a fading cell?",
    ),
    Section(
        key="7.1",
        title="Active queue management",
        question="Does the law keep the delay and use the rate of CoDel, FQ-CoDel, PIE, DualPI2 and a marking switch?",
    ),
    Section(
        key="7.2",
        title="Network transport circuit breakers",
        question="Does the sender stay below the rate at which a circuit breaker ends a flow?",
    ),
    Section(
        key="7.3",
        title="Paths with varying delay",
        question="Does the law fill a path whose least delay steps up, or wanders?",
    ),
    Section(
        key="7.4",
        title="Internet of Things and constrained nodes",
        question="Does the law work over 64 kbit/s with few retransmissions?",
    ),
    Section(
        key="7.5",
        title="Paths with high delay",
        question="Does the law fill a path of 600 ms?",
    ),
    Section(
        key="7.6",
        title="Misbehaving nodes",
        question="What does an honest flow keep beside one of the law whose receiver divides ACKs?",
    ),
    Section(
        key="7.7",
        title="Extreme packet reordering",
        question="Does the law keep its rate where packets overtake each other?",
    ),
    Section(
        key="7.8",
        title="Transient events",
        question="Does the law recover from an outage, and give way to sudden load?",
    ),
    Section(
        key="7.9",
        title="Sudden changes in the path",
        question="Does the law follow a rate that becomes ten times larger, or smaller?",
    ),
    Section(
        key="7.10",
        title="Multipath transport",
        question="Is the law fair over several paths at once?",
        not_modelled="connections have one path",
    ),
    Section(
        key="7.11",
        title="Data centers",
        question="How long does the last of many simultaneous responses take at a round trip of 100 µs?",
    ),
)

#: By their numbers.
BY_KEY = {section.key: section for section in SECTIONS}
