!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  "asc.printf"(%n) {form = "desc: text, arguments: rest", format = "shown", at = "4:4"} : (!int) -> ()
  "asc.printf"(%x) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!float) -> ()
}) {sym_name = "branch_that_is_taken", parameters = ["n", "m", "x"]} : () -> ()
