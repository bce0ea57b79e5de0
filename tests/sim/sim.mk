# SPDX-License-Identifier: MIT
# The model server behind sockets, the simulator, its mutants and the Spin models (tests/sim/).

MODEL_SRC := $(addprefix tests/sim/,server.c server_command.c server_script.c server_wire.c lua.c sha1.c)

.PHONY: standin
standin: $(B)/standin ## the model server behind sockets, for a machine without redis-server
$(B)/standin: tests/live/standin_main.c $(MODEL_SRC) tests/sim/server.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) $(WERROR) -D_POSIX_C_SOURCE=200809L $(CFLAGS) -I. $(LDFLAGS) -o $@ $(filter %.c,$^)
