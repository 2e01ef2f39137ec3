# TCPs of ns-2 over a chain of links of one rate, all to its end; prints packets that each has had acknowledged.
#
# ns peer_ns2_chain.tcl SEED MBIT BUFFER DELAYS WARMUP END LAW:HOP:START...
#
# DELAYS are those of the links one way, in ms, with commas; a flow enters at the link HOP, from 0, and begins at START.
# LAW is one of ns-2's own, `newreno`, `sack` or `vegas`, or the name of one of Linux 2.6.22, which has SACK.

lassign $argv seed mbit buffer delays warmup end
set flows [lrange $argv 6 end]

ns-random $seed
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 100000
Agent/TCP set windowInit_ 3
Agent/TCP set timestamps_ false
Agent/TCP set tcpTick_ 0.001
Agent/TCP set minrto_ 0.2

set ns [new Simulator]
set draws [new RNG]
$draws seed $seed
set nodes [list [$ns node]]
foreach delay [split $delays ,] {
    set next [$ns node]
    $ns duplex-link [lindex $nodes end] $next ${mbit}Mb ${delay}ms DropTail
    $ns queue-limit [lindex $nodes end] $next $buffer
    $ns queue-limit $next [lindex $nodes end] 100000
    lappend nodes $next
}

# Five sources of UDP over the last link: pulses of 10 ms at 2 % of the link, exponential gaps of 0.1 s on average.
proc pulse {source} {
    global ns draws
    $source start
    set off [expr {[$ns now] + 0.01}]
    $ns at $off "$source stop"
    $ns at [expr {$off + [$draws exponential 0.1]}] "pulse $source"
}
for {set i 0} {$i < 5} {incr i} {
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $udp set packetSize_ 1500
    $ns attach-agent [lindex $nodes end-1] $udp
    $ns attach-agent [lindex $nodes end] $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ 500
    $cbr set rate_ [expr {0.02 * $mbit}]Mb
    $cbr attach-agent $udp
    $ns at [$draws exponential 0.1] "pulse $cbr"
}

set sources {}
foreach each $flows {
    lassign [split $each :] law hop start
    switch $law {
        newreno { set source [new Agent/TCP/Newreno]; set sink [new Agent/TCPSink/DelAck] }
        vegas { set source [new Agent/TCP/Vegas]; set sink [new Agent/TCPSink/DelAck] }
        sack { set source [new Agent/TCP/Sack1]; set sink [new Agent/TCPSink/Sack1/DelAck] }
        default {
            set source [new Agent/TCP/Linux]
            set sink [new Agent/TCPSink/Sack1/DelAck]
            $ns at 0 "$source select_ca [string map {linux- {}} $law]"
        }
    }
    $sink set interval_ 0.04
    $source set fid_ [llength $sources]
    $ns attach-agent [lindex $nodes $hop] $source
    $ns attach-agent [lindex $nodes end] $sink
    $ns connect $source $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $source
    $ns at [expr {$start + [$draws uniform 0.0 1.0]}] "$ftp start"
    lappend sources $source
}

proc note {} {
    global sources before
    foreach source $sources { set before($source) [$source set ack_] }
}

proc finish {} {
    global sources before
    foreach source $sources { lappend done [expr {[$source set ack_] - $before($source)}] }
    puts "acknowledged $done"
    exit 0
}

$ns at $warmup note
$ns at $end finish
$ns run
