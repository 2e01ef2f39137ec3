# TFRC of ns-2, alone on a lossy link or beside as many TCPs; prints packets received by each flow while it is measured.
#
# ns peer_ns2_tfrc.tcl ALIKE SEED MBIT BUFFER LOSS WARMUP SECONDS KIND:DELAY:START...
#
# Each flow has a way of its own to the bottleneck (20 ms, or 50 ms where it is alone) and back of DELAY seconds; ALIKE
# gives TFRC what RFC 5348 has otherwise than ns-2: the filter of the round trip, and no coarse clock.

lassign $argv alike seed mbit buffer loss warmup seconds
set kinds [lrange $argv 7 end]

ns-random $seed
Agent/TFRC set packetSize_ 1000
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 10000
Agent/TCP set windowInit_ 10
if {$alike} {
    Agent/TFRC set df_ 0.9
    Agent/TFRC set tcp_tick_ 0.0001
    Agent/TFRC set minrto_ 0.4
}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${mbit}Mb 40ms DropTail
$ns queue-limit $left $right $buffer
$ns queue-limit $right $left 100000
if {$loss > 0} {
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ $loss
    set draws [new RNG]
    $draws seed $seed
    set uniform [new RandomVariable/Uniform]
    $uniform use-rng $draws
    $model ranvar $uniform
    $model drop-target [new Agent/Null]
    $ns lossmodel $model $left $right
}

set at 0
foreach each $kinds {
    lassign [split $each :] kind delay start
    set sender [$ns node]
    set receiver [$ns node]
    foreach {from to way} [list $sender $left 0.000001 $right $receiver $delay] {
        $ns duplex-link $from $to 100Mb $way DropTail
        $ns queue-limit $from $to 100000
        $ns queue-limit $to $from 100000
    }
    set monitor($at) [$ns monitor-queue $right $receiver ""]
    if {$kind eq "tfrc"} {
        set source [new Agent/TFRC]
        set sink [new Agent/TFRCSink]
    } else {
        set source [new Agent/TCP/Sack1]
        set sink [new Agent/TCPSink/Sack1]
    }
    $source set fid_ $at
    $ns attach-agent $sender $source
    $ns attach-agent $receiver $sink
    $ns connect $source $sink
    if {$kind eq "tfrc"} {
        $ns at $start "$source start"
    } else {
        set ftp [new Application/FTP]
        $ftp attach-agent $source
        $ns at $start "$ftp start"
    }
    incr at
}

proc note {} {
    global at monitor before
    for {set i 0} {$i < $at} {incr i} { set before($i) [$monitor($i) set pdepartures_] }
}

proc finish {} {
    global at monitor before
    for {set i 0} {$i < $at} {incr i} { lappend received [expr {[$monitor($i) set pdepartures_] - $before($i)}] }
    puts $received
    exit 0
}

$ns at $warmup "note"
$ns at [expr {$warmup + $seconds}] "finish"
$ns run
