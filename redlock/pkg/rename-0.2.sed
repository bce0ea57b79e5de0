# SPDX-License-Identifier: MIT
# rename-0.2.sed - turns a program written for an earlier state of 0.1 into one for the names of today:
#     sed -i -f rename-0.2.sed *.c *.h
# Only whole words change. Basic regular expressions have no sign for a word's end, so each line ends with a blank while
# this works.
s/$/ /
s/\([^A-Za-z0-9_]\)/ \1 /g
s/^/ /
s/ rdl_ways_script / rdl_methods_script /g
s/ rdl_ways_all / rdl_methods_all /g
s/ rdl_ways / rdl_methods /g
s/ \. ways / . methods /g
s/ RDL_E_WAYS / RDL_E_METHODS /g
s/ rdl_net / rdl_platform /g
s/ rdl_facts / rdl_server_info /g
s/ \. facts / . server_info /g
s/ rdl_fact / rdl_info /g
s/ RDL_E_FACTS / RDL_E_SERVER_INFO /g
s/ RDL_FACT_STAMPED / RDL_INFO_TIMESTAMP /g
s/ RDL_FACT_\([A-Z]*\) / RDL_INFO_\1 /g
s/ rdl_family / rdl_address_family /g
s/ rdl_conn_upkeep / rdl_conn_tick /g
s/ RDL_CONN_SILENT / RDL_CONN_STALLED /g
s/ rdl_cost / rdl_stats /g
s/ rdl_lock_cost / rdl_lock_stats /g
s/ rdl_redlock_cost / rdl_redlock_stats /g
s/ rdl_lock_cause / rdl_lock_error /g
s/ rdl_lock_set_floor / rdl_lock_set_min_fence /g
s/ rdl_redlock_set_floor / rdl_redlock_set_min_fence /g
s/ rdl_redlock_fencing / rdl_fencing_ops /g
s/ rdl_redlock_fenced / rdl_fencing /g
s/ rdl_keeper / rdl_renewal /g
s/ rdl_keeper_\([a-z]*\) / rdl_renewal_\1 /g
s/ RDL_KEEPER_\([A-Z]*\) / RDL_RENEWAL_\1 /g
s/ RDL_RESUMED / RDL_HELD_WITH_GAP /g
s/ RDL_REACQUIRED / RDL_E_GAP /g
s/^ //
s/ \([^A-Za-z0-9_]\) /\1/g
s/ $//
