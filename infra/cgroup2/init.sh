#!/bin/sh
# Process 1 of the virtual machine: a network, cgroup v2 alone, and a Docker engine, until a line on the console.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mountpoint -q /proc || mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sysfs /sys
mountpoint -q /run || mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/pts /dev/shm
mountpoint -q /dev/pts || mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
for module in virtio_net overlay br_netfilter veth; do modprobe "$module"; done
hostname cgroup2
ip link set lo up
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
ip route add default via 10.0.2.2

# Whoever reaches this port is on the machine that runs this one, where it is bound to the loopback address.
dockerd --host tcp://0.0.0.0:2375 --host unix:///var/run/docker.sock --tls=false --log-level warn >/dev/console 2>&1 </dev/null &
engine=$!
read -r _ </dev/console
kill "$engine"
wait "$engine"
sync
mount -o remount,ro /
echo o >/proc/sysrq-trigger
sleep 60
