!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %four = "py.constant"() {value = "4", at = "2:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "3:4"} : () -> !int
  %cores = "asc.get_block_num"() {form = "", at = "4:4"} : () -> !int
  %size = "asc.get_data_block_size_in_bytes"() {form = "", at = "5:4"} : () -> !int
  %0 = "py.constant"() {value = "3", at = "8:4"} : () -> !int
  %1 = "py.binary"(%core, %0) {operator = "add", at = "8:4"} : (!int, !int) -> !int
  %2 = "py.trunc_div"(%1, %four) {operator = "floordiv", at = "8:4"} : (!int, !int) -> !int
  %3 = "py.constant"() {value = "1", at = "11:4"} : () -> !int
  %4 = "py.binary"(%core, %cores) {operator = "add", at = "11:4"} : (!int, !int) -> !int
  %5 = "py.binary"(%4, %3) {operator = "sub", at = "11:4"} : (!int, !int) -> !int
  %6 = "py.trunc_div"(%5, %cores) {operator = "floordiv", at = "11:4"} : (!int, !int) -> !int
  %7 = "py.constant"() {value = "0", at = "14:4"} : () -> !int
  %8 = "py.constant"() {value = "1", at = "14:4"} : () -> !int
  %9 = "py.trunc_div"(%size, %four) {operator = "mod", at = "14:4"} : (!int, !int) -> !int
  %10 = "py.compare"(%9, %7) {operator = "gt", at = "14:4"} : (!int, !int) -> !bool
  %11 = "py.select"(%10, %8, %7) {at = "14:4"} : (!bool, !int, !int) -> !int
  %12 = "py.trunc_div"(%size, %four) {operator = "floordiv", at = "14:4"} : (!int, !int) -> !int
  %13 = "py.binary"(%12, %11) {operator = "add", at = "14:4"} : (!int, !int) -> !int
  %14 = "py.constant"() {value = "0", at = "17:4"} : () -> !int
  %15 = "py.constant"() {value = "1", at = "17:4"} : () -> !int
  %16 = "py.trunc_div"(%size, %cores) {operator = "mod", at = "17:4"} : (!int, !int) -> !int
  %17 = "py.compare"(%16, %14) {operator = "gt", at = "17:4"} : (!int, !int) -> !bool
  %18 = "py.select"(%17, %15, %14) {at = "17:4"} : (!bool, !int, !int) -> !int
  %19 = "py.trunc_div"(%size, %cores) {operator = "floordiv", at = "17:4"} : (!int, !int) -> !int
  %20 = "py.binary"(%19, %18) {operator = "add", at = "17:4"} : (!int, !int) -> !int
  %21 = "py.constant"() {value = "7", at = "21:4"} : () -> !int
  %22 = "py.binary"(%core, %21) {operator = "add", at = "21:4"} : (!int, !int) -> !int
  %23 = "py.trunc_div"(%22, %four) {operator = "floordiv", at = "21:4"} : (!int, !int) -> !int
  "asc.printf"(%2, %6, %13, %20, %23) {form = "desc: text, arguments: rest", format = "shown", at = "22:4"} : (!int, !int, !int, !int, !int) -> ()
}) {sym_name = "quotients_rounded_up", parameters = ["n", "m", "x"]} : () -> ()
