# What the TCPs of ns-2 beside wang2016's have in common: the simulator `ns`, random numbers `draws`, senders' settings, background.
# Needs `seed` and `mbit`.

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

proc pulse {source} {
    global ns draws
    $source start
    set off [expr {[$ns now] + 0.01}]
    $ns at $off "$source stop"
    $ns at [expr {$off + [$draws exponential 0.1]}] "pulse $source"
}

# Five sources of UDP with packets of so many bytes: pulses of 10 ms at 2 % of the link, exponential gaps of 0.1 s on average.
proc pulses {from to bytes} {
    global ns draws mbit
    for {set i 0} {$i < 5} {incr i} {
        set udp [new Agent/UDP]
        set null [new Agent/Null]
        $udp set packetSize_ 1500
        $ns attach-agent $from $udp
        $ns attach-agent $to $null
        $ns connect $udp $null
        set cbr [new Application/Traffic/CBR]
        $cbr set packetSize_ $bytes
        $cbr set rate_ [expr {0.02 * $mbit}]Mb
        $cbr attach-agent $udp
        $ns at [$draws exponential 0.1] "pulse $cbr"
    }
}
