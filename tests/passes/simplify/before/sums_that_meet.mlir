!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %three = "py.constant"() {value = "3", at = "2:4"} : () -> !int
  %five = "py.constant"() {value = "5", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %three) {operator = "add", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %three) {operator = "sub", at = "5:4", variable = "same"} : (!int, !int) -> !int
  %c = "py.binary"(%m, %three) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  %d = "py.binary"(%c, %five) {operator = "sub", at = "7:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %d) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int, !int) -> ()
}) {sym_name = "sums_that_meet", parameters = ["n", "m", "x"]} : () -> ()
