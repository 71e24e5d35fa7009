# The end of arrays.py and of tables.py, which it is put behind: each line of input names one of the commands, and gets one line.
for line in sys.stdin:
    command, *words = line.split()
    try:
        print("ok", commands[command](*words), flush=True)
    except Exception as e:
        print("error", repr(e).replace("\n", " "), flush=True)
