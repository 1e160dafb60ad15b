!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %seven = "py.constant"() {value = "7", at = "2:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "3:4"} : () -> !int
  %cores = "asc.get_block_num"() {form = "", at = "4:4"} : () -> !int
  %masked = "py.binary"(%n, %seven) {operator = "and", at = "5:4"} : (!int, !int) -> !int
  %rest = "py.binary"(%n, %seven) {operator = "mod", at = "6:4"} : (!int, !int) -> !int
  %least = "py.binary"(%core, %cores) {operator = "min", at = "7:4"} : (!int, !int) -> !int
  %most = "py.binary"(%n, %core) {operator = "max", at = "8:4"} : (!int, !int) -> !int
  %c = "py.compare"(%n, %m) {operator = "lt", at = "9:4"} : (!int, !int) -> !bool
  %truth = "py.cast"(%c) {at = "10:4"} : (!bool) -> !int
  %0 = "py.trunc_div"(%masked, %seven) {operator = "floordiv", at = "11:4"} : (!int, !int) -> !int
  %1 = "py.trunc_div"(%rest, %seven) {operator = "floordiv", at = "12:4"} : (!int, !int) -> !int
  %2 = "py.trunc_div"(%least, %cores) {operator = "mod", at = "13:4"} : (!int, !int) -> !int
  %3 = "py.trunc_div"(%most, %seven) {operator = "floordiv", at = "14:4"} : (!int, !int) -> !int
  %4 = "py.trunc_div"(%truth, %seven) {operator = "mod", at = "15:4"} : (!int, !int) -> !int
  "asc.printf"(%0, %1, %2, %3, %4) {form = "desc: text, arguments: rest", format = "shown", at = "16:4"} : (!int, !int, !int, !int, !int) -> ()
}) {sym_name = "what_is_not_negative", parameters = ["n", "m", "x"]} : () -> ()
