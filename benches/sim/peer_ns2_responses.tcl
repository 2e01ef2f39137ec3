# Two or more TCPs of ns-2 on one link, as in Tables 8 and 9 of wang2016; prints windows in packets.
#
# ns peer_ns2_responses.tcl KIND LAW SEED MBIT RTT_MS BUFFER DELAYED LEAVING CHANGE END SAMPLE
#
# KIND `share`: a flow that runs from 0, and one that begins at CHANGE. KIND `fill`: a flow that stays, and LEAVING that
# begin within a second and stop at CHANGE. LAW: `newreno`, `steady` (NewReno that restarts its timer on every partial
# ACK, as Linux does) or `sack`. A line for each SAMPLE seconds from CHANGE on: the time, the first flow's window, and for
# `share` the second's.

lassign $argv kind law seed mbit rtt buffer delayed leaving change end sample

ns-random $seed
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 100000
Agent/TCP set windowInit_ 3
Agent/TCP set timestamps_ false
Agent/TCP set tcpTick_ 0.001
Agent/TCP set minrto_ 0.2

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
set delay [expr {$rtt / 2000.0}]
$ns duplex-link $left $right ${mbit}Mb $delay DropTail
$ns queue-limit $left $right $buffer
$ns queue-limit $right $left 100000

# Five sources of UDP each way: pulses of 10 ms at 2 % of the link, exponential gaps of 0.1 s on average.
set gaps [new RNG]
$gaps seed $seed
proc pulse {source} {
    global ns gaps
    $source start
    set off [expr {[$ns now] + 0.01}]
    $ns at $off "$source stop"
    $ns at [expr {$off + [$gaps exponential 0.1]}] "pulse $source"
}
foreach {from to} [list $left $right $right $left] {
    for {set i 0} {$i < 5} {incr i} {
        set udp [new Agent/UDP]
        set null [new Agent/Null]
        $udp set packetSize_ 1500
        $ns attach-agent $from $udp
        $ns attach-agent $to $null
        $ns connect $udp $null
        set cbr [new Application/Traffic/CBR]
        $cbr set packetSize_ 1500
        $cbr set rate_ [expr {0.02 * $mbit}]Mb
        $cbr attach-agent $udp
        $ns at [$gaps exponential 0.1] "pulse $cbr"
    }
}

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
        $ns at [$gaps uniform 0.0 1.0] "$ftp start"
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
