!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %a = "py.binary"(%n, %zero) {operator = "add", at = "3:4"} : (!int, !int) -> !int
  %b = "py.binary"(%zero, %a) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  %c = "py.binary"(%b, %zero) {operator = "sub", at = "5:4", variable = "offset"} : (!int, !int) -> !int
  "asc.printf"(%c) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int) -> ()
}) {sym_name = "nothing_is_added", parameters = ["n", "m", "x"]} : () -> ()
