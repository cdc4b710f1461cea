"""The words that Keepalived knows, 1.2 to 2.4, block by block. Any other word it logs and ignores."""

from switchover.faults.keepalived.syntax import Remark, Statement


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OTHER_BLOCKS = _words("""
    SSL bfd_instance garp_group interface_up_down_delays linkbeat_interfaces local_address_group
    static_ipaddress static_routes static_rules track_group virtual_server virtual_server_group
""")
"""Known, but without influence on a switchover: not looked into."""

_TOP = _OTHER_BLOCKS | _words("""
    child_wait_time global_defs instance linkbeat_use_polling namespace_with_ipsets net_namespace
    net_namespace_ipvs track_file use_pid_dir vrrp_instance vrrp_script vrrp_sync_group vrrp_track_file
    vrrp_track_process
""")

_NOTIFY = _words("""
    global_tracking notify notify_backup notify_deleted notify_fault notify_master
    notify_master_rx_lower_pri notify_priority_changes notify_stop smtp_alert
""")
_TRACKS = _words("track_bfd track_file track_interface track_process track_script")
"""Within an instance or a group these hold names, of which `track_file` is a block of words at the top."""

BLOCKS: dict[str, frozenset[str]] = {
    "vrrp_instance": _NOTIFY
    | _TRACKS
    | _words("""
        accept advert_int auth_hmac authentication check_unicast_src debug dont_track_primary
        down_timer_adverts garp_extra_if garp_lower_prio_delay garp_lower_prio_repeat garp_master_delay
        garp_master_refresh garp_master_refresh_repeat garp_master_repeat higher_prio_send_advert
        interface kernel_rx_buf_size linkbeat_use_polling lower_prio_no_advert lvs_sync_daemon_inteface
        lvs_sync_daemon_interface mcast_dst_ip mcast_src_ip native_ipv6 no_accept no_virtual_ipaddress
        nopreempt old_unicast_checksum owner_ignore_adverts preempt preempt_delay priority
        promote_secondaries skip_check_adv_addr state strict_mode thread_timer_expired
        timer_expired_backup track_src_ip unicast_fault_no_peer unicast_peer unicast_src_ip unicast_ttl
        use_ipvlan use_vmac use_vmac_addr v3_checksum_as_v2 version virtual_ipaddress
        virtual_ipaddress_excluded virtual_router_id virtual_routes virtual_rules vmac_garp_intvl
        vmac_xmit_base vrf
"""),
    "authentication": _words("auth_type auth_pass"),
    "vrrp_sync_group": _NOTIFY | _TRACKS | _words("group sync_group_tracking_weight"),
    "vrrp_script": _words("fall init_fail interval rise script timeout user weight"),
    "vrrp_track_process": _words("""
        delay fork_delay full_command param_match process quorum quorum_max terminate_delay weight
"""),
    "track_file": _words("file init_file weight"),
    "vrrp_track_file": _words("file init_file weight"),
    "global_defs": _words("""
        bfd_cpu_affinity bfd_no_swap bfd_priority bfd_process_name bfd_rlimit_rtime bfd_rlimit_rttime
        bfd_rt_priority checker_cpu_affinity checker_log_all_failures checker_no_swap checker_priority
        checker_process_name checker_rlimit_rtime checker_rlimit_rttime checker_rt_priority
        child_wait_time config_save_dir data_use_instance dbus_no_interface_name dbus_service_name
        default_interface disable_local_igmp dynamic_interfaces enable_dbus enable_script_security
        enable_snmp_checker enable_snmp_keepalived enable_snmp_rfc enable_snmp_rfcv2 enable_snmp_rfcv3
        enable_snmp_vrrp enable_traps fifo_write_vrrp_states_on_reload include_check instance
        iproute_etc_dir iproute_usr_dir json_dump_file json_version linkbeat_use_polling
        log_unknown_vrids lvs_flush lvs_flush_on_stop lvs_flush_onstop lvs_netlink_cmd_rcv_bufs
        lvs_netlink_cmd_rcv_bufs_force lvs_netlink_monitor_rcv_bufs lvs_netlink_monitor_rcv_bufs_force
        lvs_notify_fifo lvs_notify_fifo_script lvs_process_name lvs_sync_daemon lvs_timeouts
        max_auto_priority min_auto_priority_delay namespace_with_ipsets net_namespace net_namespace_ipvs
        nftables nftables_counters nftables_ifindex nftables_ipvs nftables_ipvs_priority
        nftables_ipvs_start_fwmark nftables_priority no_checker_emails no_email_faults
        notification_email notification_email_from notify_fifo notify_fifo_script
        process_monitor_rcv_bufs process_monitor_rcv_bufs_force process_name process_names random_seed
        reload_check_config reload_file reload_repeat reload_time_file router_id rs_init_notifies
        script_user set_supplementary_groups shutdown_script shutdown_script_timeout smtp_alert
        smtp_alert_checker smtp_alert_vrrp smtp_connect_timeout smtp_helo_name smtp_server
        snmp_rs_stats_update_interval snmp_socket snmp_vs_stats_update_interval startup_script
        startup_script_timeout state_dump_file stats_dump_file tmp_config_directory umask use_pid_dir
        use_symlink_paths v3_checksum_as_v2 vmac_addr_prefix vmac_prefix vrrp_check_unicast_src
        vrrp_cpu_affinity vrrp_delay_after_boot vrrp_down_timer_adverts vrrp_garp_extra_if
        vrrp_garp_interval vrrp_garp_lower_prio_delay vrrp_garp_lower_prio_repeat vrrp_garp_master_delay
        vrrp_garp_master_refresh vrrp_garp_master_refresh_repeat vrrp_garp_master_repeat
        vrrp_gna_interval vrrp_higher_prio_send_advert vrrp_ipsets vrrp_iptables
        vrrp_lower_prio_no_advert vrrp_mcast_group4 vrrp_mcast_group6 vrrp_min_garp
        vrrp_netlink_cmd_rcv_bufs vrrp_netlink_cmd_rcv_bufs_force vrrp_netlink_monitor_rcv_bufs
        vrrp_netlink_monitor_rcv_bufs_force vrrp_no_swap vrrp_notify_fifo vrrp_notify_fifo_script
        vrrp_notify_priority_changes vrrp_owner_ignore_adverts vrrp_priority vrrp_process_name
        vrrp_rlimit_rtime vrrp_rlimit_rttime vrrp_rt_priority vrrp_rx_bufs_multiplier
        vrrp_rx_bufs_policy vrrp_skip_check_adv_addr vrrp_startup_delay vrrp_strict vrrp_version
        vrrp_vmac_garp_intvl
"""),
}


def drop_unknown_words(statements: list[Statement]) -> tuple[list[Statement], list[Remark]]:
    """The statements that Keepalived acts on, and a remark for every word that no version knows in its place.

    Keepalived ignores an unknown word, but not the block behind it: it reads the block's lines as lines of the
    surrounding block, and takes its closing brace for the end of that one.
    """
    remarks: list[Remark] = []
    kept: list[Statement] = []
    waiting = list(statements)
    while waiting:
        statement = waiting.pop(0)
        if statement.keyword in _TOP:
            kept.append(statement)
            waiting[:0] = _drop_in(statement, remarks)
        else:
            remarks.append(Remark(statement.place, f"unknown word {statement.keyword!r}: Keepalived ignores it"))
            waiting[:0] = statement.block
    return kept, remarks


def _drop_in(block: Statement, remarks: list[Remark]) -> list[Statement]:
    """Drop the unknown words of a block; return what Keepalived takes to stand behind the block."""
    known = BLOCKS.get(block.keyword)
    if known is None:
        return []
    kept: list[Statement] = []
    waiting, behind = list(block.block), list[Statement]()
    while waiting:
        statement = waiting.pop(0)
        if statement.keyword in known:
            kept.append(statement)
            early = [] if statement.keyword in _TRACKS else _drop_in(statement, remarks)
            if early:
                behind, waiting = [*waiting, *behind], early
            continue
        text = f"unknown word {statement.keyword!r} in {' '.join(block.words[:2])}: Keepalived ignores it"
        if statement.has_braces:
            text += f", but takes the end of its block for the end of {block.keyword}"
            behind, waiting = [*waiting, *behind], statement.block
        remarks.append(Remark(statement.place, text))
    block.block = kept
    return behind
