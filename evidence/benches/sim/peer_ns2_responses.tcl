# Two or more TCPs of ns-2 on one link, as in Tables 8 and 9 of wang2016; prints windows in packets.
#
# ns peer_ns2_responses.tcl KIND LAW SEED MBIT RTT_MS BUFFER DELAYED LEAVING CHANGE END SAMPLE
#
# KIND `share`: a flow that runs from 0, and one that begins at CHANGE. KIND `fill`: a flow that stays, and LEAVING that
# begin within a second and stop at CHANGE. LAW: `newreno`, `steady` (NewReno that restarts its timer on every partial
# ACK, as Linux does) or `sack`. A line for each SAMPLE seconds from CHANGE on: the time, the first flow's window, and for
# `share` the second's.

lassign $argv kind law seed mbit rtt buffer delayed leaving change end sample

source [file join [file dirname [info script]] peer_ns2_common.tcl]

set left [$ns node]
set right [$ns node]
set delay [expr {$rtt / 2000.0}]
$ns duplex-link $left $right ${mbit}Mb $delay DropTail
$ns queue-limit $left $right $buffer
$ns queue-limit $right $left 100000

pulses $left $right 1500
pulses $right $left 1500

proc tcp {at from to} {
    global ns law delayed left right
    if {$law in "newreno steady"} {
        set source [new Agent/TCP/Newreno]
        $source set newreno_changes1_ [expr {$law eq "newreno"}]
        set sink [new Agent/TCPSink[expr {$delayed ? "/DelAck" : ""}]]
    } else {
        set source [new Agent/TCP/Sack1]
        set sink [new Agent/TCPSink/Sack1[expr {$delayed ? "/DelAck" : ""}]]
    }
    if {$delayed} { $sink set interval_ 0.04 }
    $source set fid_ $at
    $ns attach-agent $from $source
    $ns attach-agent $to $sink
    $ns connect $source $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $source
    return [list $source $ftp]
}

lassign [tcp 0 $left $right] first ftp
$ns at 0.001 "$ftp start"
set watched [list $first]
if {$kind eq "share"} {
    lassign [tcp 1 $left $right] second ftp
    $ns at $change "$ftp start"
    lappend watched $second
} else {
    for {set i 1} {$i <= $leaving} {incr i} {
        lassign [tcp $i $left $right] source ftp
        $ns at [$draws uniform 0.0 1.0] "$ftp start"
        $ns at $change "$ftp stop"
    }
}

proc look {} {
    global ns watched sample
    set words [format %.4f [$ns now]]
    foreach source $watched { lappend words [format %.2f [$source set cwnd_]] }
    puts $words
    $ns at [expr {[$ns now] + $sample}] look
}

$ns at $change look
$ns at $end "exit 0"
$ns run
