# TCPs of ns-2 through huang2020's access point, whose slots go to one station each by rule (10); prints totals.
#
# ns peer_ns2_cell.tcl SENDER SEED SECONDS SAMPLE BUFFER CHANNEL FLOWS WIRE...
#
# SENDER: `reno`, `newreno`, `sack` or `vegas` of ns-2's own, the last with a band of 200 to 203 packets; `linux-NAME`
# is a law of Linux 2.6.22 with SACK, `linux-NAME-plain` without.
# CHANNEL: a file with a line per slot of 10 ms, the bits that the channel of each station carries in it.
# FLOWS: numbers with commas. Flow I runs from n<I> to station ue<I>.
# WIRE: FROM:TO:MBIT:MS, from n0 to n3 over n4 and n5 to the access point bs. ACKs return over one link whose delay is
# that of the flow's wires and 10 ms.
#
# Prints a line `at` for each SAMPLE seconds: the time, and the packets acknowledged of each flow. At the end a line
# `flow` for each: its number, packets acknowledged, timeouts, retransmissions. Then `drops`: of the wire to bs, and of
# the access point for each station.
#
# A stock link of ns-2 cannot be stopped for a slot. The queue of a station is therefore blocked for good. A Tcl process
# shrinks it from the front by the packets that fit into a slot, with the link in place of the drop target, and sets the
# link's rate to the slot's.

lassign $argv law seed seconds sample buffer channel flows
set wires [lrange $argv 7 end]
set flows [split $flows ,]

set slot 0.01
set bits 1600

# For speed: no headers of other protocols, and a heap of events.
remove-all-packet-headers
add-packet-header Flags IP TCP
ns-random $seed
Agent/TCP set packetSize_ 160
Agent/TCP set window_ 100000
Queue set limit_ $buffer

set ns [new Simulator]
$ns use-scheduler Heap

foreach name {n0 n1 n2 n3 n4 n5 bs ue0 ue1 ue2 ue3} { set node($name) [$ns node] }

proc wire {from to mbit ms} {
    global ns node buffer
    $ns simplex-link $node($from) $node($to) ${mbit}Mb ${ms}ms DropTail
    $ns queue-limit $node($from) $node($to) $buffer
}

foreach each $wires {
    lassign [split $each :] from to mbit ms
    wire $from $to $mbit $ms
    set next($from) $to
    set delay($from) $ms
}
foreach at {0 1 2 3} {
    wire bs ue$at 100 0
    set back 10
    for {set from n$at} {$from ne "bs"} {set from $next($from)} { set back [expr {$back + $delay($from)}] }
    wire ue$at n$at 10 $back
}
set monitor [$ns monitor-queue $node(n5) $node(bs) ""]

foreach at {0 1 2 3} {
    set link [$ns link $node(bs) $node(ue$at)]
    set queue($at) [$link queue]
    set air($at) [$link link]
    set waiting($at) [$ns monitor-queue $node(bs) $node(ue$at) ""]
    # The packets of the slot queue here; all of them count as departures of the station's queue.
    set sending [new Queue/DropTail]
    $sending set limit_ 1000000
    $sending target $air($at)
    set out($at) [$link set snoopOut_]
    $out($at) target $sending
    set lost($at) [$link set drophead_]
    $queue($at) set blocked_ true
    # Bits of the first packet that are sent, and the mean rate of what was delivered in bits a second.
    set begun($at) 0
    set average($at) 1.0
}

# Lets packets out of a station's queue until `left` packets are left.
proc release {at left} {
    global queue out lost buffer
    set each $queue($at)
    $each set drop_front_ true
    $each drop-target $out($at)
    $each set limit_ $left
    $each shrink-queue
    $each set limit_ $buffer
    $each drop-target $lost($at)
    $each set drop_front_ false
}

proc tick {} {
    global ns file slot bits begun average air waiting
    set chosen -1
    set most -1
    foreach at {0 1 2 3} rate [gets $file] {
        set packets [expr {int([$waiting($at) set pkts_])}]
        if {$packets && $rate} {
            set weight [expr {($packets * $bits - $begun($at)) / $average($at) * $rate}]
            if {$weight > $most} {
                lassign [list $at $weight $packets $rate] chosen most held budget
            }
        }
        set delivered($at) 0
    }
    if {$chosen >= 0} {
        set room [expr {$begun($chosen) + $budget}]
        set packets [expr {min($held, $room / $bits)}]
        set begun($chosen) [expr {$packets < $held ? $room - $packets * $bits : 0}]
        $air($chosen) set bandwidth_ [expr {$budget / $slot}]
        release $chosen [expr {$held - $packets}]
        set delivered($chosen) [expr {$packets * $bits}]
    }
    foreach at {0 1 2 3} {
        set average($at) [expr {$average($at) + ($delivered($at) / $slot - $average($at)) / 256}]
    }
    $ns at [expr {[$ns now] + $slot}] tick
}

foreach at $flows {
    set sink [new Agent/TCPSink]
    switch -glob $law {
        reno { set source [new Agent/TCP/Reno] }
        newreno { set source [new Agent/TCP/Newreno] }
        sack {
            set source [new Agent/TCP/Sack1]
            set sink [new Agent/TCPSink/Sack1]
        }
        vegas {
            # It sends segments without headers.
            set source [new Agent/TCP/Vegas]
            $source set packetSize_ 200
            $source set v_alpha_ 200
            $source set v_beta_ 203
        }
        linux-* {
            lassign [split $law -] _ name plain
            set source [new Agent/TCP/Linux]
            if {$plain eq ""} { set sink [new Agent/TCPSink/Sack1] }
            $ns at 0 "$source select_ca $name"
        }
    }
    $source set fid_ $at
    $ns attach-agent $node(n$at) $source
    $ns attach-agent $node(ue$at) $sink
    $ns connect $source $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $source
    $ns at 0 "$ftp start"
    set tcp($at) $source
}

proc look {} {
    global ns sample tcp flows
    set words "at [format %.2f [$ns now]]"
    foreach at $flows { lappend words [expr {[$tcp($at) set ack_] + 1}] }
    puts $words
    $ns at [expr {[$ns now] + $sample}] look
}

proc finish {} {
    global tcp monitor waiting flows
    foreach at $flows {
        puts "flow $at [expr {[$tcp($at) set ack_] + 1}] [$tcp($at) set nrexmit_] [$tcp($at) set nrexmitpack_]"
    }
    set words [expr {int([$monitor set pdrops_])}]
    foreach at {0 1 2 3} { lappend words [expr {int([$waiting($at) set pdrops_])}] }
    puts "drops $words"
    exit 0
}

set file [open $channel]
$ns at 0 tick
$ns at $sample look
$ns at $seconds finish
$ns run
