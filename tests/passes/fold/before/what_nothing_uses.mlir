!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.binary"(%n, %m) {operator = "mul", at = "2:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %n) {operator = "add", at = "3:4"} : (!int, !int) -> !int
  %core = "asc.get_block_idx"() {form = "", at = "4:4"} : () -> !int
  %v = "py.variable"(%b) {at = "5:4"} : (!int) -> !py.cell<!int>
  %zero = "py.constant"() {value = "0", at = "6:4"} : () -> !int
  %c = "py.compare"(%n, %zero) {operator = "gt", at = "7:4"} : (!int, !int) -> !bool
  "py.if"(%c) ({
    %d = "py.binary"(%n, %n) {operator = "mul", at = "9:4"} : (!int, !int) -> !int
  }, {
    ^bb0:
  }) {at = "8:4"} : (!bool) -> ()
  "asc.printf"(%m) {form = "desc: text, arguments: rest", format = "shown", at = "13:4"} : (!int) -> ()
}) {sym_name = "what_nothing_uses", parameters = ["n", "m", "x"]} : () -> ()
