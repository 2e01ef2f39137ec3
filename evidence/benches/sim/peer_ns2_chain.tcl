# TCPs of ns-2 over a chain of links of one rate, all to its end; prints packets that each has had acknowledged.
#
# ns peer_ns2_chain.tcl SEED MBIT BUFFER DELAYS WARMUP END LAW:HOP:START...
#
# DELAYS are those of the links one way, in ms, with commas; a flow enters at the link HOP, from 0, and begins at START.
# LAW is one of ns-2's own, `newreno`, `sack` or `vegas`, or the name of one of Linux 2.6.22, which has SACK.

lassign $argv seed mbit buffer delays warmup end
set flows [lrange $argv 6 end]

source [file join [file dirname [info script]] peer_ns2_common.tcl]

set nodes [list [$ns node]]
foreach delay [split $delays ,] {
    set next [$ns node]
    $ns duplex-link [lindex $nodes end] $next ${mbit}Mb ${delay}ms DropTail
    $ns queue-limit [lindex $nodes end] $next $buffer
    $ns queue-limit $next [lindex $nodes end] 100000
    lappend nodes $next
}

pulses [lindex $nodes end-1] [lindex $nodes end] 500

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
